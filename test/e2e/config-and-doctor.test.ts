import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { text } from "../../src/testing/index.ts";
import { it } from "../support/world.ts";

function lineWith(output: string, word: string): string {
  return output.split("\n").find((line) => line.includes(word)) ?? "";
}

describe("corecoder config", () => {
  it("shows each value with where it comes from", async ({ world }) => {
    const model = await world.model([]);
    mkdirSync(world.state, { recursive: true });
    writeFileSync(join(world.state, "settings.json"), JSON.stringify({ maxRounds: 77 }));
    world.write(".env", "CORECODER_TEMPERATURE=0.3\n");
    world.write(".corecoder/settings.json", JSON.stringify({ maxTokens: 4321 }));
    const result = await world.run(["config", "-m", "option-model"], { model });
    expect(result.code).toBe(0);
    expect(lineWith(result.stdout, "option-model")).toMatch(/option|--model/);
    expect(lineWith(result.stdout, model.url)).toContain("OPENAI_BASE_URL");
    expect(lineWith(result.stdout, "0.3")).toContain(".env");
    expect(lineWith(result.stdout, "4321")).toContain("settings.json");
    expect(lineWith(result.stdout, "77")).toContain("settings.json");
    expect(lineWith(result.stdout, "120000")).toContain("default");
  });

  it("masks the key but tells its origin", async ({ world }) => {
    const model = await world.model([]);
    const result = await world.run(["config"], { model });
    expect(lineWith(result.stdout, "OPENAI_API_KEY")).not.toBe("");
    expect(result.stdout).not.toContain(world.key);
    expect(result.stdout).not.toContain(world.key.slice(0, 20));
  });
});

describe("corecoder doctor", () => {
  it("checks key, endpoint, model, ripgrep, terminal and state folder in one line each", async ({ world }) => {
    const model = await world.model([text("pong")], { models: ["gpt-5.5"] });
    const result = await world.run(["doctor"], { model });
    expect(result.code).toBe(0);
    for (const word of [/key/i, /endpoint/i, /model/i, /ripgrep/i, /terminal/i, /state/i, /sandbox/i])
      expect(result.stdout).toMatch(word);
    expect(result.stdout.trim().split("\n").length).toBeLessThan(14);
  });

  it("says what is wrong and what to do, with an exit code that tells", async ({ world }) => {
    const result = await world.run(["doctor"], { env: { OPENAI_BASE_URL: "http://127.0.0.1:9/v1" } });
    expect(result.code).not.toBe(0);
    expect(result.stdout).toMatch(/OPENAI_API_KEY|CORECODER_API_KEY/);
  });
});

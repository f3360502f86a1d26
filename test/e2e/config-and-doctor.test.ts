import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { text } from "../../src/testing/index.ts";
import { it } from "../support/world.ts";

describe("corecoder config", () => {
  it("shows each value with where it comes from", async ({ world }) => {
    const model = await world.model([]);
    mkdirSync(world.state, { recursive: true });
    writeFileSync(join(world.state, "settings.json"), JSON.stringify({ maxRounds: 77 }));
    world.write(".env", "CORECODER_TEMPERATURE=0.3\n");
    world.write(".corecoder/settings.json", JSON.stringify({ maxTokens: 4321 }));
    const result = await world.run(["config", "-m", "option-model"], { model });
    expect(result.code).toBe(0);
    const line = (key: string) => result.stdout.split("\n").find((one) => one.startsWith(`${key} `));
    expect(line("model")).toMatch(/ option-model .*-m/);
    expect(line("baseUrl")).toMatch(/OPENAI_BASE_URL/);
    expect(line("baseUrl")).toContain(model.url);
    expect(line("temperature")).toMatch(/ 0\.3 .*\.env/);
    expect(line("maxTokens")).toMatch(/ 4321 .*project\/\.corecoder\/settings\.json/);
    expect(line("maxRounds")).toMatch(/ 77 .*state\/settings\.json/);
    expect(line("streamIdleTimeoutMs")).toMatch(/ 120000 .*default/);
  });

  it("masks the key but tells its origin", async ({ world }) => {
    const model = await world.model([]);
    const result = await world.run(["config"], { model });
    expect(result.stdout).toMatch(/^apiKey .*OPENAI_API_KEY$/m);
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

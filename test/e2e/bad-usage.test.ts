import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { text } from "../../src/testing/index.ts";
import type { CliResult } from "../support/run-cli.ts";
import { it } from "../support/world.ts";

function expectShortError(result: CliResult, code: number, ...words: readonly (string | RegExp)[]): void {
  expect(result).toMatchObject({ code, stdout: "" });
  expect(result.stderr.trim().split("\n").length).toBeLessThanOrEqual(2);
  expect(result.stderr).not.toMatch(/^\s+at /m);
  for (const word of words) expect(result.stderr).toMatch(word);
}

describe("what needs no model", () => {
  it.for(["--version", "-v"])("%s prints name and version", async (option, { world }) => {
    expect(await world.run([option])).toMatchObject({
      code: 0,
      stdout: `corecoder ${packageJson.version}\n`,
      stderr: "",
    });
  });

  it.for(["--help", "-h"])("%s lists commands, options and exit codes on stdout", async (option, { world }) => {
    const result = await world.run([option]);
    expect(result).toMatchObject({ code: 0, stderr: "" });
    for (const word of [
      "demo",
      "config",
      "doctor",
      "permissions explain",
      "--model",
      "--base-url",
      "--max-rounds",
      "--output-format",
    ]) {
      expect(result.stdout).toContain(word);
    }
  });
});

describe("bad options", () => {
  it.for([
    [["--bogus"], /--bogus/],
    [["-p", "hi", "--modle", "x"], /--modle/],
    [["-p", "hi", "--output-format", "xml"], /output-format.*xml|xml.*output-format/],
    [["-p", "hi", "--permission-mode", "yolo"], /yolo/],
    [["-p", "hi", "--max-tokens", "many"], /max-tokens.*many|many.*max-tokens/],
    [["-p", "hi", "--max-tokens", "0"], /max-tokens/],
    [["-p", "hi", "--temperature", "warm"], /temperature/],
    [["-p", "hi", "--max-rounds", "1.5"], /max-rounds/],
    [["-p", "hi", "--max-budget-usd", "-3"], /max-budget-usd/],
    [["-p", "hi", "--stream-idle-timeout", "soon"], /stream-idle-timeout/],
    [["-p", "hi", "--base-url", "not a url"], /base.url.*not a url/i],
    [["-p", "hi", "--model"], /--model/],
    [["-p", "hi", "-C", "nowhere"], /nowhere/],
    [["-p", "hi", "--add-dir", "nowhere"], /nowhere/],
    [["frobnicate"], /frobnicate/],
    [["permissions", "expand"], /expand|permissions/],
  ] as const)("%j end with exit 42 and name the option", async ([args, pattern], { world }) => {
    const model = await world.model([]);
    expectShortError(await world.run(args, { model }), 42, pattern);
    expect(model.requests).toHaveLength(0);
  });
});

describe("bad environment values", () => {
  it.for([
    ["CORECODER_MAX_TOKENS", "many"],
    ["CORECODER_MAX_TOKENS", "-5"],
    ["CORECODER_TEMPERATURE", "hot"],
    ["CORECODER_MAX_CONTEXT", "1e"],
    ["CORECODER_MAX_ROUNDS", "0"],
    ["CORECODER_MAX_BUDGET_USD", "free"],
    ["CORECODER_STREAM_IDLE_TIMEOUT_MS", "soon"],
    ["CORECODER_PERMISSION_MODE", "yolo"],
    ["CORECODER_BASE_URL", "not a url"],
    ["CORECODER_PROVIDER", "nobody"],
    ["CORECODER_CONTEXT_POLICY", "magic"],
  ] as const)("%s=%s ends with exit 52 and names variable and value", async ([name, value], { world }) => {
    const model = await world.model([]);
    expectShortError(await world.run(["-p", "hi"], { model, env: { [name]: value } }), 52, name, value);
    expect(model.requests).toHaveLength(0);
  });
});

describe("bad settings files", () => {
  it("with an unknown key end with exit 52 and name file and key", async ({ world }) => {
    const model = await world.model([]);
    world.write(".corecoder/settings.json", JSON.stringify({ modle: "x" }));
    expectShortError(await world.run(["-p", "hi"], { model }), 52, "settings.json", "modle");
  });

  it("with a bad number end with exit 52 and name file and key", async ({ world }) => {
    const model = await world.model([]);
    const path = world.write(".corecoder/settings.json", JSON.stringify({ maxRounds: "many" }));
    expectShortError(await world.run(["-p", "hi"], { model }), 52, path.slice(world.cwd.length + 1), "maxRounds");
  });

  it("that are no JSON end with exit 52 and name the file", async ({ world }) => {
    const model = await world.model([]);
    world.write(".corecoder/settings.json", "{ model: ");
    expectShortError(await world.run(["-p", "hi"], { model }), 52, "settings.json");
  });

  it("of the person are read from the state folder", async ({ world }) => {
    const model = await world.model([text("ok")]);
    mkdirSync(world.state, { recursive: true });
    writeFileSync(join(world.state, "settings.json"), JSON.stringify({ model: "from-settings" }));
    expect((await world.run(["-p", "hi"], { model })).code).toBe(0);
    expect(model.requests[0]!.body.model).toBe("from-settings");
  });
});

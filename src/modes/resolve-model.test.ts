import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { loadSettings } from "../config/load.ts";
import { resolveModel } from "./resolve-model.ts";

let cwd: string;
beforeEach(() => {
  cwd = makeTempFolder();
});
afterEach(() => removeTempFolder(cwd));

/** `vendor model key`, or what is missing. */
function resolve(environment: Record<string, string>, dotenv = ""): { choice: string; warnings: readonly string[] } {
  mkdirSync(join(cwd, "state"), { recursive: true });
  if (dotenv) writeFileSync(join(cwd, ".env"), dotenv);
  const options = { cwd, environment: { CORECODER_HOME: join(cwd, "state"), ...environment }, options: new Map() };
  const resolved = resolveModel(loadSettings(options), options);
  if (resolved === undefined) return { choice: "no key", warnings: [] };
  const { vendor, model } = resolved.choice;
  return { choice: `${vendor.name} ${model} ${resolved.apiKey}`, warnings: resolved.loaded.warnings };
}

describe("vendor, model and key", () => {
  it.each([
    [{ OPENAI_API_KEY: "k1" }, "openai gpt-5.5 k1"],
    [{ CORECODER_API_KEY: "k0", OPENAI_API_KEY: "k1", DEEPSEEK_API_KEY: "k2" }, "openai gpt-5.5 k0"],
    [{ DEEPSEEK_API_KEY: "k2" }, "deepseek deepseek-chat k2"],
    [{ OPENAI_API_KEY: "k1", DEEPSEEK_API_KEY: "k2", CORECODER_MODEL: "deepseek-chat" }, "deepseek deepseek-chat k2"],
    [{ OPENAI_API_KEY: "k1", ANTHROPIC_API_KEY: "k3", CORECODER_MODEL: "claude-x" }, "anthropic claude-x k3"],
    [{ CORECODER_API_KEY: "k0", CORECODER_MODEL: "claude-x" }, "anthropic claude-x k0"],
    [{ DEEPSEEK_API_KEY: "k2", CORECODER_MODEL: "gpt-x" }, "no key"],
    [{ DEEPSEEK_API_KEY: "k2", CORECODER_MODEL: "gpt-x", OPENAI_BASE_URL: "http://127.0.0.1:1/v1" }, "openai gpt-x k2"],
    [{ CORECODER_PROVIDER: "ollama", CORECODER_MODEL: "qwen" }, "ollama qwen "],
    [{}, "no key"],
  ])("from %j are %s", (environment, expected) => {
    expect(resolve(environment).choice).toBe(expected);
  });

  it("come from a .env file as well", () => {
    expect(resolve({}, "DEEPSEEK_API_KEY=k2\nCORECODER_MODEL=deepseek-reasoner").choice).toBe(
      "deepseek deepseek-reasoner k2",
    );
  });

  it("are found in the end when a project's key and provider contradict the person's", () => {
    const dotenv = "OPENAI_API_KEY=bait\nCORECODER_PROVIDER=anthropic";
    expect(resolve({ ANTHROPIC_API_KEY: "k3", CORECODER_MODEL: "gpt-x" }, dotenv).choice).toMatch(
      /^(openai gpt-x bait|anthropic gpt-x k3|no key)$/,
    );
  });

  it("never let a project's model carry a key that fits every vendor to another vendor", () => {
    const { choice, warnings } = resolve({ CORECODER_API_KEY: "k0" }, "CORECODER_MODEL=deepseek-chat");
    expect(choice).toBe("openai gpt-5.5 k0");
    expect(warnings).toEqual([expect.stringMatching(/Ignored model deepseek-chat.*it belongs to deepseek/)]);
  });

  it("let a project choose among models that go to the same place", () => {
    expect(resolve({ CORECODER_API_KEY: "k0" }, "CORECODER_MODEL=gpt-4o").choice).toBe("openai gpt-4o k0");
    const gateway = { CORECODER_API_KEY: "k0", CORECODER_BASE_URL: "http://127.0.0.1:1/v1" };
    expect(resolve(gateway, "CORECODER_MODEL=deepseek-chat").choice).toBe("deepseek deepseek-chat k0");
    expect(resolve({ DEEPSEEK_API_KEY: "k2" }, "CORECODER_MODEL=deepseek-reasoner").choice).toBe(
      "deepseek deepseek-reasoner k2",
    );
  });
});

describe("a value that is no vendor or no address", () => {
  it("is a configuration error that names the variable", () => {
    expect(() => resolve({ OPENAI_API_KEY: "k1", CORECODER_PROVIDER: "nobody" })).toThrow(
      expect.objectContaining({ exit: 52, message: expect.stringContaining("CORECODER_PROVIDER") }),
    );
    expect(() => resolve({ OPENAI_API_KEY: "k1", OPENAI_BASE_URL: "nowhere" })).toThrow(
      expect.objectContaining({ exit: 52, message: expect.stringContaining("OPENAI_BASE_URL") }),
    );
  });
});

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { loadSettings } from "../config/load.ts";
import { connect } from "../providers/connect.ts";
import { createEndpointLessons } from "../session/endpoint-memory.ts";
import { type ScriptedModel, startScriptedModel, text } from "../testing/index.ts";
import { askingForWindow } from "./ask-window.ts";
import { environmentForChildren } from "./mode-context.ts";
import { resolveModel } from "./resolve-model.ts";
import { noKeyText } from "./without-key.ts";

let cwd: string;
let model: ScriptedModel;
beforeEach(async () => {
  cwd = makeTempFolder();
  model = await startScriptedModel(() => text("ok"));
});
afterEach(async () => {
  await model.close();
  removeTempFolder(cwd);
});

function start(environment: Record<string, string>, settings: object = {}) {
  mkdirSync(join(cwd, "state"), { recursive: true });
  writeFileSync(join(cwd, "state", "settings.json"), JSON.stringify(settings));
  const options = { cwd, environment: { CORECODER_HOME: join(cwd, "state"), ...environment }, options: new Map() };
  const loaded = loadSettings(options);
  return { loaded, resolved: resolveModel(loaded, options) };
}

/** The request as the server saw it. */
async function send(environment: Record<string, string>, settings: object = {}) {
  const { resolved } = start(environment, settings);
  if (resolved === undefined) return undefined;
  const { choice, apiKey } = resolved;
  const memory = { recall: () => ({}), learn: () => {} };
  const messages = [{ id: "1", role: "user" as const, parts: [{ type: "text" as const, text: "hi" }] }];
  await connect({ choice, apiKey, idleTimeoutMs: 5_000, memory }).stream(
    { model: choice.model, system: "", tools: [], messages },
    { signal: new AbortController().signal, onEvent: () => {} },
  );
  return model.requests.at(-1);
}

describe("a vendor of the person's own", () => {
  const providers = () => ({
    mine: {
      baseUrl: `${model.url}/`,
      protocol: "anthropic-messages",
      keyVariables: ["MINE_KEY"],
      headers: { "x-team": "blue" },
    },
  });

  it.each([{ CORECODER_MODEL: "mine/some/model" }, { CORECODER_MODEL: "some/model", CORECODER_PROVIDER: "mine" }])(
    "is spoken to on its wire, with its key and headers: %j",
    async (named) => {
      const request = await send({ ...named, MINE_KEY: "k1", OPENAI_API_KEY: "k2" }, { providers: providers() });
      expect(request?.path).toBe("/v1/messages");
      expect(request?.headers).toMatchObject({ "x-api-key": "k1", "x-team": "blue" });
      expect(request?.body).toMatchObject({ model: "some/model" });
    },
  );

  it("never gets the key of another, and its own is hidden from commands", async () => {
    const environment = { CORECODER_MODEL: "mine/m", OPENAI_API_KEY: "k2", DEEPSEEK_API_KEY: "k3" };
    expect(await send(environment, { providers: providers() })).toBeUndefined();
    const { loaded } = start(environment, { providers: providers() });
    expect(noKeyText({ loaded, run: { orDemo: false }, isOneShot: true }, [])).toMatch(
      /^No API key for mine\. Set MINE_KEY or/,
    );
    const children = environmentForChildren({ MINE_KEY: "k1", PATH: "/bin" }, "", loaded.settings.providers);
    expect(children).toEqual({ PATH: "/bin" });
  });

  it("takes no name that is taken, and is named among the known", () => {
    expect(() => start({}, { providers: { openai: { baseUrl: "http://127.0.0.1:1" } } })).toThrow(
      /settings\.json redefines the provider "openai"/,
    );
    expect(() => start({ CORECODER_PROVIDER: "mime" }, { providers: providers() })).toThrow(
      /unknown provider.*custom, mine/,
    );
  });
});

describe("Azure", () => {
  it("is found by its usual variables, which mean nothing to other vendors", async () => {
    const environment = {
      AZURE_OPENAI_ENDPOINT: `http://127.0.0.1:${model.port}/`,
      AZURE_OPENAI_API_KEY: "k1",
      OPENAI_API_KEY: "k2",
    };
    const usual = await send({ ...environment, CORECODER_MODEL: "azure/my-gpt" });
    expect(usual?.path).toMatch(/^\/openai\/deployments\/my-gpt\/chat\/completions\?api-version=\d{4}-\d\d-\d\d/);
    expect(usual?.headers).toMatchObject({ "api-key": "k1" });
    const dated = {
      ...environment,
      CORECODER_MODEL: "d",
      CORECODER_PROVIDER: "azure",
      AZURE_OPENAI_API_VERSION: "2024-10-21",
    };
    expect((await send(dated))?.path).toBe("/openai/deployments/d/chat/completions?api-version=2024-10-21");
    expect(start(environment).resolved?.choice.baseUrl).toBe("https://api.openai.com/v1");
  });
});

describe("without a key", () => {
  const text = (servers: Parameters<typeof noKeyText>[1], prompt?: string, named?: string) => {
    const { loaded } = start(named === undefined ? {} : { CORECODER_MODEL: named });
    return noKeyText(
      { loaded, run: { orDemo: false, ...(prompt === undefined ? {} : { prompt }) }, isOneShot: prompt !== undefined },
      servers,
    );
  };
  const ollama = { vendor: "ollama", baseUrl: "http://127.0.0.1:11434/v1", models: ["qwen3:8b", "llama3.3:70b"] };
  const vllm = { vendor: "vllm", baseUrl: "http://127.0.0.1:8000/v1", models: ["a b"] };

  it("the error names the variables and the line to type", () => {
    expect(text([])).toMatch(/^No API key\. Set CORECODER_API_KEY, OPENAI_API_KEY.*\n.*corecoder demo\.$/);
    expect(text([ollama, vllm], "it's me").split("\n")[1]).toBe(
      "ollama runs on this machine: corecoder --provider ollama -m qwen3:8b -p 'it'\\''s me' (also here: ollama/llama3.3:70b, vllm/a b)",
    );
    expect(text([vllm], "x".repeat(500))).toMatch(/corecoder --provider vllm -m 'a b' -p …$/);
    expect(text([vllm, ollama], "hi", "llama3.3:70b")).toContain("corecoder --provider ollama -m llama3.3:70b -p hi");
    expect(text([ollama])).toMatch(/corecoder --provider ollama -m qwen3:8b \(also/);
    const { loaded } = start({});
    const sources = { cwd: "/", environment: { GROQ_API_KEY: "k" }, options: new Map() };
    expect(noKeyText({ loaded, sources, run: { orDemo: false }, isOneShot: true }, [])).toMatch(
      /\nGROQ_API_KEY is set: name a model of groq with -m groq\/NAME/,
    );
  });
});

describe("the window of an endpoint", () => {
  it("is asked for once, beside the first answer, and kept", async () => {
    const { resolved } = start({ CORECODER_PROVIDER: "custom", CORECODER_MODEL: "m", CORECODER_BASE_URL: model.url });
    if (resolved === undefined) throw new Error("no choice");
    const memory = createEndpointLessons(join(cwd, "endpoints.json"));
    const urls: string[] = [];
    let tell = (_: unknown) => {};
    const told = new Promise((resolve) => (tell = resolve));
    const provider = askingForWindow(
      {
        endpoint: model.url,
        async stream(_request, { onEvent }) {
          onEvent({ type: "text", text: "a" });
          onEvent({ type: "text", text: "b" });
          return { parts: [], stopReason: "end", usage: undefined };
        },
      },
      {
        ...resolved,
        memory: {
          ...memory,
          learnWindow(...lesson) {
            memory.learnWindow(...lesson);
            tell(undefined);
          },
        },
        async post({ url }) {
          urls.push(url.pathname);
          const { Readable } = await import("node:stream");
          const body = Readable.from(['{"data":[{"id":"m","max_model_len":24000}]}']);
          return { head: Object.assign(body, { statusCode: 200, headers: {}, complete: true }), body };
        },
      },
    );
    const request = { model: "m", system: "", tools: [], messages: [] };
    for (const _ of [1, 2]) await provider.stream(request, { signal: new AbortController().signal, onEvent: () => {} });
    await told;
    expect(urls).toEqual(["/v1/models"]);
    expect(createEndpointLessons(join(cwd, "endpoints.json")).windowOf(model.url, "m")).toBe(24_000);
  });
});

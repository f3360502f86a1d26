import { describe, expect, it } from "vitest";
import { ProviderError, type ProviderErrorCode } from "../contracts/errors.ts";
import type { ModelRequest, Provider } from "../contracts/provider.ts";
import { checksFor, type DoctorInput } from "./checks.ts";
import { type CheckResult, checkLine, runChecks } from "./doctor.ts";

const endpoint = "http://localhost:9/v1";

function provider(fail?: Error): Provider & { requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  return {
    endpoint,
    requests,
    async stream(request) {
      requests.push(request);
      if (fail) throw fail;
      return { parts: [{ type: "text", text: "ok" }], stopReason: "end", usage: undefined };
    },
  };
}

const healthy: DoctorInput = {
  keyOrigin: "OPENAI_API_KEY",
  needsKey: true,
  vendor: "openai",
  model: "m1",
  provider: provider(),
  ripgrep: "/usr/bin/rg",
  bash: "/bin/bash",
  stateFolder: "/state",
  probeStateFolder: () => {},
  terminal: { isTty: true, columns: 80, color: true },
  nodeVersion: "v20.0.0",
  sandbox: async () => ({ works: true, sandbox: { name: "bubblewrap", wrap: () => (program) => program } }),
  platform: "linux",
};

async function examine(more: Partial<DoctorInput> = {}) {
  const results: CheckResult[] = [];
  const isHealthy = await runChecks(checksFor({ ...healthy, ...more }), (result) => void results.push(result));
  return { isHealthy, results, of: (name: string) => results.find((result) => result.name === name) };
}
const failing = (code: ProviderErrorCode, message = "what the server said") =>
  examine({ provider: provider(new ProviderError(code, message)) });

describe("the doctor", () => {
  it("finds everything in order and says where it is, one line each", async () => {
    const { isHealthy, results, of } = await examine();
    expect(isHealthy).toBe(true);
    expect(results.map(({ name }) => name)).toEqual([
      "node",
      "key",
      "endpoint",
      "model",
      "ripgrep",
      "bash",
      "sandbox",
      "processes",
      "state folder",
      "terminal",
    ]);
    expect(results.filter(({ state }) => state === "problem")).toEqual([]);
    expect(of("key")).toMatchObject({ state: "ok", text: "from OPENAI_API_KEY" });
    expect(of("endpoint")).toMatchObject({ state: "ok", text: `${endpoint} answers` });
    expect(of("model")).toMatchObject({ state: "ok", text: "m1 (openai)" });
    expect(of("state folder")).toMatchObject({ state: "ok", text: "/state" });
    for (const result of results) expect(checkLine(result)).not.toContain("\n");
  });

  it("asks the model once, with the smallest request, and shows no answer of it", async () => {
    const asked = provider();
    await examine({ provider: asked });
    expect(asked.requests).toHaveLength(1);
    expect(asked.requests[0]).toMatchObject({ model: "m1", tools: [] });
  });

  it("without a key names the variables, the demo, and asks nobody", async () => {
    const asked = provider();
    const { isHealthy, of } = await examine({ keyOrigin: undefined, provider: asked });
    expect(of("key")).toMatchObject({
      state: "problem",
      text: expect.stringMatching(/CORECODER_API_KEY.*corecoder demo/),
    });
    expect(of("endpoint")).toMatchObject({
      state: "warning",
      text: expect.stringContaining("not tried without a key"),
    });
    expect(of("model")).toMatchObject({ state: "warning", text: expect.stringContaining("not tried without a key") });
    expect([isHealthy, asked.requests]).toEqual([false, []]);
  });

  it("without a key asks a vendor that needs none", async () => {
    const { isHealthy, of } = await examine({ keyOrigin: undefined, needsKey: false, vendor: "ollama" });
    expect(of("key")).toMatchObject({ state: "ok", text: "none needed for ollama" });
    expect([of("endpoint")?.state, isHealthy]).toEqual(["ok", true]);
  });

  it.each(["not-found", "bad-request"] as const)("blames the model, not the endpoint, for %s", async (code) => {
    const { isHealthy, of } = await failing(code);
    expect(of("endpoint")).toMatchObject({ state: "warning", text: expect.stringContaining(endpoint) });
    expect(of("model")).toMatchObject({
      state: "problem",
      text: expect.stringMatching(/^m1: what the server said; check --model/),
    });
    expect(isHealthy).toBe(false);
  });

  it.each([
    "auth",
    "quota",
    "rate-limit",
    "overloaded",
    "network",
    "stalled",
    "broken-stream",
    "empty",
    "not-a-stream",
    "content-filter",
    "context-overflow",
  ] as const)("blames the endpoint, with its words, for %s", async (code) => {
    const { isHealthy, of } = await failing(code);
    expect(of("endpoint")).toMatchObject({ state: "problem", text: `${endpoint}: what the server said` });
    expect(of("model")).toMatchObject({ state: "warning", text: "m1: not tried, see endpoint" });
    expect(isHealthy).toBe(false);
  });

  it("sends again what an endpoint refused a parameter of, as the agent would", async () => {
    let refusals = 2;
    const picky: Provider = {
      endpoint,
      async stream(request, options) {
        if (refusals-- > 0) throw new ProviderError("parameter-refused", "unknown field stream_options");
        return provider().stream(request, options);
      },
    };
    const { isHealthy, of } = await examine({ provider: picky });
    expect([of("endpoint")?.state, of("model")?.state, isHealthy]).toEqual(["ok", "ok", true]);
  });

  it("gives up on an endpoint that refuses everything", async () => {
    expect((await failing("parameter-refused")).of("endpoint")).toMatchObject({
      state: "problem",
      text: `${endpoint}: what the server said`,
    });
  });

  it("says how long it waited for an endpoint that does not answer", async () => {
    const { of } = await failing("aborted", "interrupted");
    expect(of("endpoint")).toMatchObject({ state: "problem", text: expect.stringMatching(/no answer within \d+ s/) });
  });

  it("gives every request a time limit", async () => {
    let signal: AbortSignal | undefined;
    const watching: Provider = {
      endpoint,
      async stream(_request, options) {
        ({ signal } = options);
        throw new ProviderError("aborted", "x");
      },
    };
    await examine({ provider: watching });
    expect(signal).toBeInstanceOf(AbortSignal);
    expect(signal?.aborted).toBe(false);
  });

  it("only warns when ripgrep or bash is missing, and says what happens instead", async () => {
    const { isHealthy, of } = await examine({ ripgrep: undefined, bash: undefined });
    expect(of("ripgrep")).toMatchObject({ state: "warning", text: expect.stringContaining("fallback") });
    expect(of("bash")).toMatchObject({ state: "warning", text: expect.stringContaining("/bin/sh") });
    expect(isHealthy).toBe(true);
  });

  it("names a state folder that cannot be written, why, and the way out", async () => {
    const probeStateFolder = () => {
      throw new Error("EACCES: permission denied");
    };
    const { isHealthy, of } = await examine({ probeStateFolder });
    expect(of("state folder")).toMatchObject({
      state: "problem",
      text: expect.stringMatching(/\/state.*EACCES.*CORECODER_HOME/),
    });
    expect(isHealthy).toBe(false);
  });

  it("says that the sandbox works, or why not and what happens instead", async () => {
    expect((await examine()).of("sandbox")).toMatchObject({ state: "ok", text: expect.stringMatching(/^bubblewrap/) });
    const { isHealthy, of } = await examine({ sandbox: async () => ({ works: false, because: "bwrap is missing" }) });
    expect(of("sandbox")).toMatchObject({
      state: "warning",
      text: expect.stringMatching(/^none: bwrap is missing.*asked/),
    });
    expect(isHealthy).toBe(true);
  });

  it("names what may outlive the program", async () => {
    expect((await examine()).of("processes")).toMatchObject({ text: expect.stringContaining("emptied environment") });
    const mac = (await examine({ platform: "darwin" })).of("processes");
    expect(mac).toMatchObject({ state: "warning", text: expect.stringContaining("darwin") });
  });

  it("only warns without a terminal", async () => {
    const { isHealthy, of } = await examine({ terminal: { isTty: false, columns: undefined, color: false } });
    expect([of("terminal")?.state, isHealthy]).toEqual(["warning", true]);
  });
});

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { askWindow } from "./endpoint-window.ts";
import { findLocalServers } from "./local-servers.ts";
import { vendorNamed } from "./vendors.ts";

type Pages = Readonly<Record<string, unknown>>;

const open: Server[] = [];
afterEach(() => {
  for (const server of open.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A page that is undefined is never answered. */
async function serve(pages: Pages): Promise<{ baseUrl: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    asked.push(`${request.method} ${path}`);
    if (!(path in pages)) return void response.writeHead(404).end("{}");
    const page = pages[path];
    if (page !== undefined) response.end(typeof page === "string" ? page : JSON.stringify(page));
  });
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked };
}

const list = (...ids: unknown[]) => ({ object: "list", data: ids.map((id) => ({ id })) });

describe("servers on this machine", () => {
  it("are found with the models one can talk to", async () => {
    const ollama = await serve({ "/v1/models": list("qwen3:8b", "nomic-embed-text:latest", "llama3.3:70b") });
    const nobody = "http://127.0.0.1:1/v1";
    const found = await findLocalServers([
      { vendor: "ollama", baseUrl: ollama.baseUrl },
      { vendor: "vllm", baseUrl: nobody },
    ]);
    expect(found).toEqual([{ vendor: "ollama", baseUrl: ollama.baseUrl, models: ["qwen3:8b", "llama3.3:70b"] }]);
    expect(ollama.asked).toEqual(["GET /v1/models"]);
  });

  it("are nobody else who happens to use the port, and no name of theirs reaches a terminal unseen", async () => {
    const places = await Promise.all(
      ["<html>", "[1]", "null", { data: "x" }, { data: [null, 7, {}, { id: 5 }] }, list("\u001b[2Jevil", "a\nb")].map(
        async (page) => ({ vendor: "llamacpp", baseUrl: (await serve({ "/v1/models": page })).baseUrl }),
      ),
    );
    expect(await findLocalServers(places)).toEqual([]);
  });

  it("keep nobody waiting: a silent one is given up, the others count", async () => {
    const silent = await serve({ "/v1/models": undefined });
    const quick = await serve({ "/v1/models": list("m") });
    const startedAt = performance.now();
    const found = await findLocalServers([
      { vendor: "vllm", baseUrl: silent.baseUrl },
      { vendor: "lmstudio", baseUrl: quick.baseUrl },
    ]);
    expect(found.map(({ vendor }) => vendor)).toEqual(["lmstudio"]);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });
});

describe("the window of a server", () => {
  const show = (parameters: string, length: number) => ({
    parameters,
    model_info: { "general.architecture": "qwen3", "qwen3.context_length": length },
  });
  it.each<[string, string, Pages, number | undefined]>([
    [
      "ollama",
      "what the loaded model has",
      { "/api/ps": { models: [{ name: "m:latest", context_length: 4_096 }] } },
      4_096,
    ],
    [
      "ollama",
      "what it is told to load",
      { "/api/ps": { models: [] }, "/api/show": show("temperature 1\nnum_ctx 16384", 40_960) },
      16_384,
    ],
    ["ollama", "no more than it was trained for", { "/api/ps": {}, "/api/show": show("", 40_960) }, 40_960],
    ["ollama", "not what it could be given", { "/api/ps": {}, "/api/show": show("", 262_144) }, undefined],
    [
      "llamacpp",
      "what a slot has",
      {
        "/props": { default_generation_settings: { n_ctx: 8_192 } },
        "/v1/models": { data: [{ id: "m", meta: { n_ctx_train: 32_768 } }] },
      },
      8_192,
    ],
    [
      "llamacpp",
      "its list, where it shows no properties",
      { "/v1/models": { data: [{ id: "other-name", meta: { n_ctx_train: 32_768 } }] } },
      32_768,
    ],
    [
      "lmstudio",
      "what is loaded",
      { "/api/v0/models": { data: [{ id: "m", loaded_context_length: 10_000, max_context_length: 32_768 }] } },
      10_000,
    ],
    [
      "vllm",
      "its list",
      {
        "/v1/models": {
          data: [
            { id: "x", max_model_len: 1 },
            { id: "m", max_model_len: 65_536 },
          ],
        },
      },
      65_536,
    ],
    [
      "openrouter",
      "what its best offer takes",
      {
        "/v1/models": {
          data: [{ id: "m", context_length: 200_000, top_provider: { context_length: 131_072 } }, { id: "n" }],
        },
      },
      131_072,
    ],
    [
      "custom",
      "nothing it does not say",
      { "/v1/models": { data: [{ id: "m" }, { id: "n", max_model_len: 7 }] } },
      undefined,
    ],
    [
      "custom",
      "nothing that is no count",
      { "/v1/models": { data: [{ id: "m", context_length: "large" }] } },
      undefined,
    ],
    ["vllm", "nothing when it is not there", {}, undefined],
  ])("%s: %s", async (name, _what, pages, tokens) => {
    const { baseUrl } = await serve(pages);
    const vendor = vendorNamed(name);
    if (vendor === undefined) throw new Error(`no vendor ${name}`);
    const question = { choice: { vendor, model: "m", baseUrl }, apiKey: "", signal: AbortSignal.timeout(5_000) };
    expect(await askWindow(question)).toBe(tokens);
  });
});

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { tools, wires } from "../conformance/provider-wires.ts";
import { builtCli, repoRoot } from "../support/repo-root.ts";
import { it } from "../support/world.ts";

describe("the package as others import it", () => {
  it("corecoder brings vendors and wires, and plays recordings back", async () => {
    const entry = join(dirname(dirname(builtCli)), packageJson.exports["."].default);
    const { chooseVendor, connect, replayTraffic, vendors } = (await import(
      pathToFileURL(entry).href
    )) as typeof import("../../src/index.ts");
    for (const { name, provider, model } of wires) {
      expect(vendors.map((vendor) => vendor.name)).toContain(provider);
      const folder = join(repoRoot, "test/recordings", name);
      const turns = JSON.parse(readFileSync(join(folder, "conversation.json"), "utf8"));
      const baseUrl = `https://recorded.example/v1${provider === "gemini" ? "beta" : ""}`;
      const choice = chooseVendor({ provider, model, baseUrl, keyVariable: undefined });
      const memory = { recall: () => ({}), learn: () => {} };
      const post = replayTraffic({ folder });
      const played = connect({ choice, apiKey: "", idleTimeoutMs: 1000, memory, post });
      const request = { ...turns[0].request, tools };
      const signal = new AbortController().signal;
      expect(await played.stream(request, { signal, onEvent: () => {} })).toEqual(turns[0].answer);
    }
  });

  it("corecoder/testing starts a scripted model that corecoder can talk to", async ({ world }) => {
    const entry = join(dirname(dirname(builtCli)), packageJson.exports["./testing"].default);
    const { startScriptedModel, text } = (await import(
      pathToFileURL(entry).href
    )) as typeof import("../../src/testing/index.ts");
    const model = await startScriptedModel([text("from the package")]);
    const result = await world.run(["-p", "hi"], { model });
    await model.close();
    expect(result).toMatchObject({ code: 0, stdout: "from the package\n" });
  });
});

import { describe, expect } from "vitest";
import { assertPairing, call, calls, fault, text } from "../../src/testing/index.ts";
import { resultOf, systemEvents } from "../support/stream-events.ts";
import { it } from "../support/world.ts";

const anthropic = ["--provider", "anthropic", "-m", "claude-sonnet-4-5"];

describe("an Anthropic Messages endpoint", () => {
  it("is spoken to in its own words: key header, system apart, tools, results as blocks", async ({ world }) => {
    world.write("a.txt", "alpha\n");
    const model = await world.model([
      calls([call("read_file", { file_path: "a.txt" }, { fragments: 4 }), call("bash", { command: "echo hi" })], {
        text: "I look.",
        reasoning: "better look first",
      }),
      text("done", { usage: { inputTokens: 1000, outputTokens: 100, cachedTokens: 400 } }),
    ]);
    const result = await world.run(
      ["-p", "go", ...anthropic, "--base-url", model.url, "--output-format", "stream-json"],
      {
        env: { ANTHROPIC_API_KEY: world.key },
      },
    );
    expect(result.code).toBe(0);
    const [first, second] = model.requests;
    expect(first!.path).toBe("/v1/messages");
    expect(first!.headers["x-api-key"]).toBe(world.key);
    expect(first!.headers["anthropic-version"]).toMatch(/^\d{4}-/);
    expect(first!.body.messages.map(({ role }) => role)).toEqual(["user"]);
    expect(JSON.stringify(first!.body.system).length).toBeGreaterThan(100);
    expect(first!.body.max_tokens).toBeGreaterThan(0);
    expect(first!.body.tools!.map(({ name }) => name)).toContain("bash");
    assertPairing(model.requests);
    const sent = JSON.stringify(second!.body.messages);
    for (const word of ["alpha", "I look.", "better look first", "c2NyaXB0ZWQ="]) expect(sent).toContain(word);
    expect(resultOf(result.events).result).toBe("done");
  });

  it("that is overloaded is asked again", async ({ world }) => {
    const model = await world.model([
      fault(529, { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }),
      text("ok"),
    ]);
    const result = await world.run(
      ["-p", "go", ...anthropic, "--base-url", model.url, "--output-format", "stream-json"],
      {
        env: { ANTHROPIC_API_KEY: world.key },
      },
    );
    expect(result.code).toBe(0);
    expect(systemEvents(result.events, "api_retry")).toHaveLength(1);
  });

  it("gets the key of its own variable, not the one for another vendor", async ({ world }) => {
    const model = await world.model([text("ok")]);
    const result = await world.run(["-p", "go", ...anthropic, "--base-url", model.url], {
      env: { ANTHROPIC_API_KEY: "for-anthropic" },
    });
    expect(result.code).toBe(0);
    expect(model.requests[0]!.headers["x-api-key"]).toBe("for-anthropic");
  });
});

import { describe, expect, it } from "vitest";
import type { Message, Usage } from "../contracts/message.ts";
import type { ModelRequest } from "../contracts/provider.ts";
import { createCacheWatch } from "./cache-watch.ts";

const message = (id: string): Message => ({ id, role: "user", parts: [{ type: "text", text: id }] });
const history = Array.from({ length: 10 }, (_, at) => message(`m${at}`));
const request = (messages: readonly Message[], more: Partial<ModelRequest> = {}): ModelRequest => ({
  ...{ model: "m", system: "s", tools: [], messages },
  ...more,
});
const usage = (inputTokens: number, cacheReadTokens: number): Usage => ({
  ...{ inputTokens, cacheReadTokens },
  ...{ outputTokens: 1, cacheWriteTokens: 0 },
});

/** A watch that has seen a hit and a request of 20,000 tokens with five messages. */
function warm() {
  const watch = createCacheWatch(() => 300_000);
  watch.observe(request(history.slice(0, 3)), usage(10_000, 5_000), 0);
  watch.observe(request(history.slice(0, 5)), usage(20_000, 10_000), 1_000);
  return (next: ModelRequest, read: number, at = 2_000) => watch.observe(next, usage(21_000, read), at);
}

describe("a cache miss", () => {
  it("is none when what was sent before is read from the cache", () => {
    expect(warm()(request(history.slice(0, 6)), 19_900)).toBeUndefined();
  });

  it("is told with the likely cause", () => {
    const causeOf = (next: ModelRequest, at?: number) => warm()(next, 0, at)?.cause;
    const longer = history.slice(0, 6);
    expect(causeOf(request(longer, { model: "n" }))).toBe("the model changed from m to n");
    expect(causeOf(request(longer, { system: "t" }))).toBe("the system prompt changed");
    expect(causeOf(request(longer, { tools: [{ name: "x", description: "", input: {} }] }))).toBe("the tools changed");
    expect(causeOf(request(longer), 601_000)).toMatch(/10 min of silence.*for 5 min/);
    expect(causeOf(request(longer))).toMatch(/nothing changed here: the vendor dropped it/);
  });

  it("is one although nothing was ever read, when the vendor said that it had kept the prefix", () => {
    const watch = createCacheWatch(() => 300_000);
    watch.observe(request(history.slice(0, 3)), { ...usage(10_000, 0), cacheWriteTokens: 9_900 }, 0);
    expect(watch.observe(request(history.slice(0, 5)), usage(12_000, 0), 1_000)).toMatchObject({
      expectedTokens: 10_000,
      readTokens: 0,
    });
  });

  it("does not count what was rewritten on purpose", () => {
    const rewritten = [message("note"), ...history.slice(1, 6)];
    expect(warm()(request(rewritten), 0)).toBeUndefined();
    const late = [...history.slice(0, 4), message("short"), message("new")];
    expect(warm()(request(late), 15_000)).toBeUndefined();
    expect(warm()(request(late), 0)).toMatchObject({
      expectedTokens: 16_000,
      cause: expect.stringMatching(/before message 5 of 5/),
    });
  });

  it("is never told of a vendor that reports no hits, of short prompts, or without counts", () => {
    const watch = createCacheWatch(() => 300_000);
    watch.observe(request(history.slice(0, 3)), usage(10_000, 0), 0);
    expect(watch.observe(request(history.slice(0, 4)), usage(11_000, 0), 1)).toBeUndefined();
    expect(watch.observe(request(history.slice(0, 5)), undefined, 2)).toBeUndefined();
    const short = createCacheWatch(() => 300_000);
    short.observe(request(history.slice(0, 3)), usage(2_000, 1_000), 0);
    expect(short.observe(request(history.slice(0, 4)), usage(2_100, 0), 1)).toBeUndefined();
  });

  it("is seen although the array of messages goes on growing", () => {
    const growing = history.slice(0, 3);
    const watch = createCacheWatch(() => 300_000);
    watch.observe(request(growing), usage(10_000, 5_000), 0);
    growing.push(message("later"));
    expect(watch.observe(request(growing), usage(11_000, 0), 1)).toMatchObject({ expectedTokens: 10_000 });
  });
});

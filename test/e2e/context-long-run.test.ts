import { describe, expect } from "vitest";
import { assertPairing, call, calls, type RecordedRequest, type Reply, text } from "../../src/testing/index.ts";
import { systemEvents } from "../support/stream-events.ts";
import { contentText, lastToolText } from "../support/wire-messages.ts";
import { it } from "../support/world.ts";

const windowTokens = 64_000;
const roundCount = 300;
const constraint = "Constraint: never rename the module turnstile_core.";

const isSummary = (request: RecordedRequest) =>
  contentText(request.body.messages.at(-1)).includes("about to be folded");
const sizeOf = ({ rawBody }: RecordedRequest) => Math.round(rawBody.length / 4);

/** What rounds 1 to 10 bring to light, and the words a model would look for it with. */
const planted = [
  { fact: "turnstile_core", words: "turnstile_core constraint rename" },
  { fact: "checksum 9f8e7d6c5b4a", words: "checksum" },
  { fact: "TypeError: cannot read properties of undefined (reading 'gyroscope')", words: "TypeError gyroscope" },
  { fact: "src/deep/periscope-driver.ts", words: "periscope-driver" },
] as const;

const filler = (round: number) => `seq ${round * 10_000} ${round * 10_000 + 1_365}`;

/** About 8 KB a round; some of the first rounds carry a fact in their middle. */
function commandOf(round: number): string {
  if (round === 3) return `${filler(round)}; echo 'checksum 9f8e7d6c5b4a'; ${filler(round)} | head -20`;
  if (round === 5)
    return `${filler(round)}; echo "TypeError: cannot read properties of undefined (reading 'gyroscope')"; exit 1`;
  return filler(round);
}

function script() {
  let round = 0;
  return (request: RecordedRequest): Reply => {
    const usage = { inputTokens: sizeOf(request), outputTokens: 30 };
    if (isSummary(request)) return text("## Goal\ncount on", { usage });
    round++;
    if (round === 7) return calls([call("read_file", { file_path: "src/deep/periscope-driver.ts" })], { usage });
    if (round <= roundCount) return calls([call("bash", { command: commandOf(round) })], { usage });
    const question = planted[round - roundCount - 1];
    return question ? calls([call("recall", { query: question.words })], { usage }) : text("done", { usage });
  };
}

describe("a run of 300 rounds with 8 KB each in a window of 64k", () => {
  it("never exceeds the window, rewrites only in batches, and loses nothing", { timeout: 120_000 }, async ({
    world,
  }) => {
    world.write("src/deep/periscope-driver.ts", "export const depth = 3;\n".repeat(300));
    const model = await world.model(script());
    const result = await world.run(
      ["-p", `${constraint} Then count.`, "--output-format", "stream-json", "--max-rounds", "400"],
      { model, env: { CORECODER_MAX_CONTEXT: String(windowTokens) }, timeoutMs: 110_000 },
    );
    expect(result.code).toBe(0);
    assertPairing(model.requests);
    const sent = model.requests.filter((request) => !isSummary(request));
    expect(sent).toHaveLength(roundCount + planted.length + 1);
    for (const request of model.requests) expect(sizeOf(request)).toBeLessThan(windowTokens);

    const boundaries = systemEvents(result.events, "compact_boundary");
    const rewritten = sent.slice(1).filter((request, at) => {
      const before = (sent[at] as RecordedRequest).body.messages;
      return JSON.stringify(request.body.messages.slice(0, before.length)) !== JSON.stringify(before);
    });
    expect(boundaries.length).toBeGreaterThan(2);
    expect(rewritten.length).toBeLessThanOrEqual(boundaries.length);
    expect(rewritten.length, "batches are rare").toBeLessThan(45);

    const atTheEnd = JSON.stringify(sent[roundCount]?.body.messages);
    for (const [at, { fact }] of planted.entries()) {
      const recalled = lastToolText(sent[roundCount + 1 + at]);
      const isDirect = atTheEnd.includes(JSON.stringify(fact).slice(1, -1));
      expect(isDirect || recalled.includes(fact), fact).toBe(true);
      expect(recalled, `recalled: ${fact}`).toContain(fact);
    }
    expect(sent.at(-1)?.body.messages.map(contentText)).toContain(`${constraint} Then count.`);
  });
});

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Message } from "../../src/contracts/message.ts";
import type { ModelAnswer, ModelRequest } from "../../src/contracts/provider.ts";
import {
  call,
  calls,
  eventsOf,
  rawStream,
  type ScriptedAnswer,
  startScriptedModel,
  text,
} from "../../src/testing/index.ts";
import { repoRoot } from "../support/repo-root.ts";
import { ask, callsOf, image, providerFor, tools, type WireUnderTest, wires } from "./provider-wires.ts";

/**
 * One conversation on every wire, as it went over the network. What is stored here must stay as it is: a request that changes its bytes costs every
 * session that is taken up after an upgrade its cache. `UPDATE_RECORDINGS=1` writes the files anew, for a change that is meant.
 */
type Recording = {
  readonly request: Omit<ModelRequest, "tools">;
  /** The body byte for byte. */
  readonly sent: string;
  readonly received: readonly string[];
  readonly answer: ModelAnswer;
};

const usage = { inputTokens: 900, outputTokens: 80, cachedTokens: 500, cacheWriteTokens: 300, reasoningTokens: 30 };
const script: readonly ScriptedAnswer[] = [
  calls(
    [
      call("bash", { command: 'echo "für 日本 🦊"\n' }, { id: "call_a", fragments: 4 }),
      call("bash", { command: "ls" }, { id: "call_b", fragments: 2 }),
    ],
    { text: "I look.", reasoning: "better look first", usage },
  ),
  text("half an ans", { finishReason: "length", deltas: 3, usage }),
  text("wer, and done.", { deltas: 2, usage }),
];

async function record(wire: WireUnderTest): Promise<Recording[]> {
  const recordings: Recording[] = [];
  const messages: Message[] = [{ id: "m1", role: "user", parts: [{ type: "text", text: "what is this?" }, image] }];
  for (const scripted of script) {
    const received = eventsOf(wire.name, scripted);
    const model = await startScriptedModel([rawStream({ chunks: received, end: "close" })]);
    const request = { model: wire.model, system: "be brief", messages: [...messages], sessionId: "s1" };
    const { answer, error } = await ask(providerFor(wire, { url: model.url }), { ...request, tools });
    if (answer === undefined) throw error;
    recordings.push({ request, sent: model.requests[0]!.rawBody, received, answer });
    await model.close();
    messages.push({ id: `m${messages.length + 1}`, role: "assistant", parts: answer.parts });
    for (const { callId, tool } of callsOf(answer)) {
      const images = callId === "call_a" ? { images: [image] } : {};
      const result = {
        type: "tool-result",
        callId,
        tool,
        text: "out",
        isError: false,
        handle: "#1",
        ...images,
      } as const;
      messages.push({ id: `m${messages.length + 1}`, role: "tool", parts: [result] });
    }
    if (callsOf(answer).length === 0)
      messages.push({ id: `m${messages.length + 1}`, role: "user", parts: [{ type: "text", text: "go on" }] });
  }
  return recordings;
}

const fileOf = ({ name }: WireUnderTest) => join(repoRoot, "test/recordings", `${name}.json`);
const isUpdate = process.env.UPDATE_RECORDINGS === "1";

describe.each(wires)("the recording of $name", (wire) => {
  it.runIf(isUpdate)("is written anew", async () => {
    mkdirSync(join(repoRoot, "test/recordings"), { recursive: true });
    writeFileSync(fileOf(wire), `${JSON.stringify(await record(wire), null, 2)}\n`);
  });

  it("is what we would send today, byte for byte, and what we make of the answer", async () => {
    const recordings = JSON.parse(readFileSync(fileOf(wire), "utf8")) as Recording[];
    expect(recordings).toHaveLength(script.length);
    let next: readonly string[] = [];
    const model = await startScriptedModel(() => rawStream({ chunks: next, end: "close" }));
    for (const { request, sent, received, answer } of recordings) {
      next = received;
      const outcome = await ask(providerFor(wire, { url: model.url }), { ...request, tools });
      expect(model.requests.at(-1)!.rawBody).toBe(sent);
      expect(outcome.answer).toEqual(answer);
    }
    await model.close();
  });
});

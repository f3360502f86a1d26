import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Message } from "../../src/contracts/message.ts";
import type { ModelAnswer, ModelRequest } from "../../src/contracts/provider.ts";
import { type Post, post } from "../../src/providers/http-stream.ts";
import { type Exchange, exchangesIn, readExchange } from "../../src/providers/traffic/exchange.ts";
import { recordTraffic } from "../../src/providers/traffic/record-traffic.ts";
import { replayTraffic } from "../../src/providers/traffic/replay-traffic.ts";
import { call, calls, type ScriptedAnswer, startScriptedModel, text } from "../../src/testing/index.ts";
import { repoRoot } from "../support/repo-root.ts";
import { makeTempFolder, removeTempFolder } from "../support/temp.ts";
import { ask, callsOf, image, providerFor, tools, type WireUnderTest, wires } from "./provider-wires.ts";

/**
 * One conversation on every wire, as `--record` saves it. What is stored here must stay as it is: a request that changes its bytes costs every
 * session that is taken up after an upgrade its cache. `UPDATE_RECORDINGS=1` writes the files anew, for a change that is meant.
 */
type Turn = { readonly request: Omit<ModelRequest, "tools">; readonly answer: ModelAnswer };

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

const folderOf = ({ name }: WireUnderTest) => join(repoRoot, "test/recordings", name);
const conversationOf = (wire: WireUnderTest) => join(folderOf(wire), "conversation.json");

async function record(wire: WireUnderTest): Promise<void> {
  const folder = folderOf(wire);
  mkdirSync(folder, { recursive: true });
  const model = await startScriptedModel(script);
  const recording = recordTraffic({
    post,
    folder,
    run: {
      program: "corecoder",
      provider: wire.provider,
      model: wire.model,
      baseUrl: "https://recorded.example/v1",
      folders: { project: "/project", home: "/home", state: "/state" },
    },
    onTrouble: (problem) => {
      throw problem;
    },
  });
  const turns: Turn[] = [];
  const messages: Message[] = [{ id: "m1", role: "user", parts: [{ type: "text", text: "what is this?" }, image] }];
  for (const _ of script) {
    const request = { model: wire.model, system: "be brief", messages: [...messages], sessionId: "s1" };
    const { answer, error } = await ask(providerFor(wire, { url: model.url, post: recording }), { ...request, tools });
    if (answer === undefined) throw error;
    turns.push({ request, answer });
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
  await model.close();
  writeFileSync(conversationOf(wire), `${JSON.stringify(turns, null, 2)}\n`);
}

const isUpdate = process.env.UPDATE_RECORDINGS === "1";

describe.each(wires)("the recording of $name", (wire) => {
  it("holds no secret that the model wrote, though it came in pieces, and is read as the masked text", async () => {
    const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    const folder = makeTempFolder();
    onTestFinished(() => removeTempFolder(folder));
    const said = `the token is ${secret}, use it`;
    const made = call("bash", { command: `curl -H 'x: ${secret}'` }, { id: "a", fragments: 30 });
    const model = await startScriptedModel([text(said, { deltas: 25, reasoning: said }), calls([made])]);
    const folders = { project: "", home: "", state: "" };
    const run = { program: "", provider: "", model: "", baseUrl: model.url, folders };
    const recording = recordTraffic({ post, folder, run, onTrouble: () => {} });
    const request: ModelRequest = {
      model: wire.model,
      system: "",
      tools,
      messages: [{ id: "m", role: "user", parts: [{ type: "text", text: "go" }] }],
    };
    const recorder = providerFor(wire, { url: model.url, post: recording });
    const player = providerFor(wire, { url: model.url, post: replayTraffic({ folder }) });
    const live = [await ask(recorder, request), await ask(recorder, request)].map(({ answer }) => answer);
    await model.close();
    expect(JSON.stringify(live).split(secret).length).toBeGreaterThan(3);
    const stored = ["0001.json", "0002.json"].map((name) => readFileSync(join(folder, name), "utf8")).join("");
    for (let at = 4; at + 4 < secret.length; at += 4) expect(stored).not.toContain(secret.slice(at, at + 4));
    const played = [await ask(player, request), await ask(player, request)].map(({ answer }) => answer);
    expect(JSON.parse(JSON.stringify(played).replaceAll("[masked]", secret.slice(4)))).toEqual(live);
  });

  it.runIf(isUpdate)("is written anew", () => record(wire));

  it("is what we would send today, byte for byte, and what we make of the answer", async () => {
    const turns = JSON.parse(readFileSync(conversationOf(wire), "utf8")) as Turn[];
    const exchanges: Exchange[] = exchangesIn(folderOf(wire)).map((name) => readExchange(folderOf(wire), name));
    expect(exchanges).toHaveLength(script.length);
    const replay = replayTraffic({ folder: folderOf(wire) });
    const sent: string[] = [];
    const watched: Post = (options) => {
      sent.push(Buffer.concat(options.body).toString());
      return replay(options);
    };
    for (const { request, answer } of turns) {
      const url = new URL(exchanges[0]!.request.url);
      const base = `${url.origin}/${url.pathname.split("/")[1]}`;
      const outcome = await ask(providerFor(wire, { url: base, post: watched }), { ...request, tools });
      expect(outcome.error).toBeUndefined();
      expect(outcome.answer).toEqual(answer);
    }
    expect(sent).toEqual(exchanges.map((exchange) => exchange.request.body));
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { answered, called, finished, inside, noon, recordsOf, said, used } from "../../../test/support/saved-logs.ts";
import { anyEntry, head, notice, prompt } from "../../../test/support/session-entries.ts";
import type { ReadableItem } from "../../contracts/saved-session.ts";
import type { SessionEntry } from "../../contracts/session.ts";
import { createReadable } from "./readable-session.ts";
import { createDigest, type PriceOfCall } from "./session-digest.ts";

const priceOf: PriceOfCall = async (model, { inputTokens }) =>
  model === "some-model" ? inputTokens / 1_000 : undefined;

async function read(entries: readonly SessionEntry[]) {
  const readable = createReadable();
  const digest = createDigest({ id: "one", logBytes: 1 });
  for (const record of recordsOf(entries)) {
    readable.take(record);
    digest.take(record);
  }
  return readable.finish({ about: digest.finish(), priceOf, diffOf: async (changes) => `diff of ${changes.length}` });
}

const started = (callId: string, title: string): SessionEntry => ({
  type: "event",
  event: { type: "tool.started", callId, tool: "bash", view: { label: "$", title } },
});

const bash = (callId: string) => called(callId, "bash", { command: `run ${callId}` });
/** Items without what every item has. */
const short = (items: readonly ReadableItem[]) =>
  items.map((item) => ("text" in item ? `${item.type}: ${item.text}` : item.type));

describe("a session as a person reads it", () => {
  it("gives every call its result, its view and its time, in the order of the calls", async () => {
    const { items } = await read([
      prompt("m1", "go"),
      started("c1", "early, while the model still spoke"),
      said("m2", [{ type: "thinking", text: "hm" }, { type: "text", text: "two" }, bash("c1"), bash("c2")]),
      started("c2", "second"),
      answered("m3", "c1", "one"),
      answered("m4", "c2", "two", true),
    ]);
    expect(short(items)).toEqual(["prompt: go", "thinking: hm", "answer: two", "call", "call"]);
    expect(items.slice(3)).toMatchObject([
      {
        label: "$",
        title: "early, while the model still spoke",
        result: { text: "one", isError: false },
        durationMs: 3_000,
      },
      { label: "$", title: "second", result: { text: "two", isError: true }, durationMs: 2_000 },
    ]);
  });

  it("describes a call that never ran by its first argument", async () => {
    const { items } = await read([said("m1", [bash("c1")])]);
    expect(items).toMatchObject([{ type: "call", label: "bash", title: "run c1", result: undefined }]);
  });

  it("tells calls apart whose ids a vendor used twice", async () => {
    const round = (n: number) => [
      said(`a${n}`, [bash("c1")]),
      started("c1", `title ${n}`),
      answered(`t${n}`, "c1", `result ${n}`),
    ];
    const { items } = await read([...round(1), ...round(2)]);
    expect(items).toMatchObject([
      { title: "title 1", result: { text: "result 1" } },
      { title: "title 2", result: { text: "result 2" } },
    ]);
  });

  it("puts a sub-agent's conversation into its call", async () => {
    const { items, modelCalls } = await read([
      head("one"),
      said("m1", [called("c1", "agent", { task: "look" })], { usage: used(10) }),
      inside("c1", prompt("m1", "look")),
      inside("c1", said("m2", [bash("c9")], { usage: used(20) })),
      inside("c1", answered("m3", "c9", "seen")),
      inside("c1", said("m4", "report")),
      answered("m5", "c1", "report"),
      said("m6", "thanks"),
    ]);
    expect(short(items)).toEqual(["call", "answer: thanks"]);
    const [agent] = items;
    expect(agent?.type === "call" && short(agent.items)).toEqual(["prompt: look", "call", "answer: report"]);
    expect(modelCalls.map(({ isSubagent, costUsd }) => [isSubagent, costUsd])).toEqual([
      [false, 0.01],
      [true, 0.02],
      [true, null],
      [false, null],
    ]);
  });

  it("tells sub-agents apart whose calls have the same id", async () => {
    const round = (n: number) => [
      said(`a${n}`, [called("c1", "agent", { task: `task ${n}` })]),
      inside("c1", said("m1", `report ${n}`)),
      answered(`t${n}`, "c1", "done"),
    ];
    const { items } = await read([...round(1), ...round(2)]);
    expect(items).toMatchObject([{ items: [{ text: "report 1" }] }, { items: [{ text: "report 2" }] }]);
  });

  it("finds a place for what belongs to a call that is missing", async () => {
    const { items } = await read([inside("gone", said("m1", "still here")), answered("m2", "lost", "a result")]);
    expect(items).toMatchObject([
      { type: "call", tool: "agent", items: [{ type: "answer", text: "still here" }] },
      { type: "call", result: { text: "a result" } },
    ]);
  });

  it("marks what was taken back, and unmarks what was brought again", async () => {
    const turn = (n: number) => [prompt(`p${n}`, `ask ${n}`), said(`a${n}`, `answer ${n}`), finished()];
    const undo: SessionEntry = { type: "undo", after: "a1", what: "both", files: [{ path: "/x" }] };
    const undone = async (entries: SessionEntry[]) =>
      (await read(entries)).items
        .filter((item) => item.isUndone)
        .map((item) => ("text" in item ? item.text : item.type));
    expect(await undone([...turn(1), ...turn(2), undo])).toEqual(["ask 2", "answer 2", "ending"]);
    expect(await undone([...turn(1), ...turn(2), undo, { type: "redo", what: "both", files: [] }])).toEqual([]);
    expect(
      await undone([...turn(1), ...turn(2), undo, ...turn(3), { type: "redo", what: "both", files: [] }]),
    ).toHaveLength(3);
    expect(await undone([...turn(1), { type: "undo", what: "files", files: [] }])).toEqual([]);
    expect(
      await undone([...turn(1), { type: "reset" }, ...turn(2), { type: "undo", what: "conversation", files: [] }]),
    ).toEqual(["ask 2", "answer 2", "ending"]);
  });

  it("says what else happened: names, models, notices, forks, cuts, damage", async () => {
    const readable = createReadable();
    const entries: SessionEntry[] = [
      { ...head("one"), forkedFrom: "zero" } as SessionEntry,
      { type: "name", name: "mine" },
      { type: "model", model: "other", settings: {} },
      notice("careful"),
      { type: "event", event: { type: "retrying", attempt: 1, delayMs: 5, reason: "overloaded" } },
      { type: "reset" },
    ];
    for (const record of recordsOf(entries)) readable.take(record);
    readable.take({ type: "damage", kind: "checksum", offset: 7, bytes: 3 });
    const digest = createDigest({ id: "one", logBytes: 1 }).finish();
    const { items } = await readable.finish({ about: digest, priceOf, diffOf: async () => undefined });
    expect(items.map((item) => (item.type === "mark" ? item.text : item.type))).toEqual([
      "forked from zero",
      "named mine",
      "model other",
      "careful",
      "tried again: overloaded",
      "started over",
      "3 bytes of the log cannot be read (checksum)",
    ]);
    expect(items.at(-1)?.time).toBe(noon + 5_000);
  });

  it("tells which files a call changed, from the session's own folder, with their difference", async () => {
    const file = { type: "file", hash: "h", size: 1, mode: 420 } as const;
    const changes = [
      { path: "/work/src/a.ts", before: file, after: file },
      { path: "/work/new.ts", after: file },
      { path: "/elsewhere/old.ts", before: file },
    ];
    const { items } = await read([
      head("one"),
      said("m1", [bash("c1")]),
      { type: "changes", callId: "c1", changes },
      answered("m2", "c1", "ok"),
    ]);
    expect(items).toMatchObject([
      {
        diff: "diff of 3",
        changed: [
          { path: "src/a.ts", use: "edited" },
          { path: "new.ts", use: "created" },
          { path: "/elsewhere/old.ts", use: "deleted" },
        ],
      },
    ]);
  });

  it("takes whatever a log may hold, and numbers everything once", async () => {
    const numbers = (items: readonly ReadableItem[]): number[] =>
      items.flatMap((item) => [item.number, ...(item.type === "call" ? numbers(item.items) : [])]);
    await fc.assert(
      fc.asyncProperty(fc.array(anyEntry, { maxLength: 12 }), async (entries) => {
        const found = numbers((await read(entries)).items);
        expect(found.toSorted((a, b) => a - b)).toEqual(found.map((_, number) => number));
      }),
    );
  });
});

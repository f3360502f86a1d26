import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import type { Receipt } from "../contracts/context.ts";
import { UserError } from "../contracts/errors.ts";
import type { Message } from "../contracts/message.ts";
import type { SessionEntry } from "../contracts/session.ts";
import { createEventLog } from "./log/event-log.ts";
import { readSession } from "./read-session.ts";

let folder: string;
let state: string;
beforeEach(() => {
  folder = makeTempFolder();
  state = join(folder, "state");
  mkdirSync(state);
});
afterEach(() => removeTempFolder(folder));

const message = (id: string, text: string): Message => ({ id, role: "user", parts: [{ type: "text", text }] });
const receipt: Receipt = {
  trigger: "auto",
  stages: ["archive"],
  tokensBefore: 10,
  tokensAfter: 5,
  archived: ["#1"],
  folded: 0,
  appended: [],
  spentUsd: 0,
  savesUsd: 0,
};
const head = (id: string): SessionEntry => ({
  type: "session",
  version: 2,
  id,
  cwd: "/work",
  model: "some-model",
  program: "corecoder 0",
});

function save(id: string, entries: readonly SessionEntry[], project = "project"): string {
  const log = createEventLog({ id, folder: join(state, "sessions", project), onTrouble: expect.unreachable });
  for (const entry of [head(id), ...entries]) log.append(entry);
  log.close();
  return join(state, "sessions", project, `${id}.jsonl`);
}

function problemWith(given: string): string {
  try {
    readSession(given, state);
  } catch (error) {
    expect(error).toBeInstanceOf(UserError);
    return (error as UserError).message;
  }
  throw new Error(`${given} was read`);
}

describe("a saved session", () => {
  it("comes back with messages, edits, times, prefix and model", () => {
    const edits = [{ type: "replace", messageId: "m2", callId: "c", text: "[#1]" }] as const;
    save("20260101-000000-abc", [
      { type: "request.prefix", system: "be good", tools: [{ name: "bash" }] },
      { type: "message", message: message("m1", "hello") },
      { type: "edits", edits, receipt },
      { type: "event", event: { type: "notice", text: "n" } },
    ]);
    const session = readSession("20260101-000000-abc", state);
    expect(session).toMatchObject({
      id: "20260101-000000-abc",
      cwd: "/work",
      model: "some-model",
      prefix: { system: "be good", tools: [{ name: "bash" }] },
      damage: [],
      lastMessage: 1,
      lastHandle: 0,
    });
    expect(session.record.steps).toMatchObject([
      { type: "message", message: message("m1", "hello"), time: expect.closeTo(Date.now(), -5) },
      { type: "edits", edits, receipt },
    ]);
  });

  it("leaves out what happened inside sub-agents", () => {
    save("s1", [
      { type: "message", message: message("m1", "outer") },
      { type: "message", message: message("m1", "inner"), parentCallId: "c1" },
      { type: "edits", edits: [], parentCallId: "c1" },
    ]);
    expect(readSession("s1", state).record.steps).toHaveLength(1);
  });

  it("begins at the last reset", () => {
    save("s1", [
      { type: "message", message: message("m1", "old") },
      { type: "reset" },
      { type: "message", message: message("m2", "new") },
    ]);
    expect(readSession("s1", state).record.steps).toMatchObject([{ message: { id: "m2" } }]);
  });

  it("of the first version is read too, without what cannot be believed", () => {
    const path = save("s1", []);
    const v1 = {
      seq: 0,
      time: 1,
      type: "session",
      version: 1,
      id: "s1",
      cwd: "/work",
      model: "m",
      program: "corecoder 0",
    };
    const bad = [
      '{"type":"message","message":{"id":"x","ro',
      "[]",
      '{"type":"message","message":{"id":"x","role":"king","parts":[]}}',
      '{"type":"message","message":{"id":"x","role":"user","parts":[{"type":"constructor"}]}}',
      '{"type":"edits","edits":[{"type":"fold","through":"m1"}]}',
    ];
    const good = ["m1", "m2"].map((id) => JSON.stringify({ type: "message", time: 5, message: message(id, "hello") }));
    writeFileSync(
      path,
      `${[JSON.stringify(v1), good[0], ...bad, '{"type":"of a later version"}', good[1]].join("\n")}\n`,
    );
    const { record, damage, model } = readSession("s1", state);
    expect(record.messages.map(({ id }) => id)).toEqual(["m1", "m2"]);
    expect(damage).toHaveLength(bad.length);
    expect(model).toBe("m");
  });

  it("keeps what lies before and after a damaged place", () => {
    const path = save("s1", [
      { type: "message", message: message("m1", "before") },
      { type: "message", message: message("m2", "damaged") },
      { type: "message", message: message("m3", "after") },
    ]);
    writeFileSync(path, readFileSync(path, "utf8").replace("damaged", "dam4ged"));
    const { record, damage } = readSession("s1", state);
    expect(record.messages.map(({ id }) => id)).toEqual(["m1", "m3"]);
    expect(damage).toMatchObject([{ kind: "checksum" }]);
  });

  it("knows the workspace, the numbers in use, what was spent and which calls had begun", () => {
    const result = (callId: string, handle: string): Message => ({
      id: "m7",
      role: "tool",
      parts: [{ type: "tool-result", callId, tool: "bash", text: "ok", isError: false, handle }],
    });
    const usage = { inputTokens: 10, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
    const said: Message = { id: "m6", role: "assistant", parts: [{ type: "text", text: "hi" }], usage };
    save("s1", [
      { type: "message", message: message("m5", "hello") },
      { type: "message", message: said },
      { type: "event", event: { type: "tool.started", callId: "c1", tool: "bash", view: { label: "$", title: "ls" } } },
      {
        type: "workspace",
        cwd: "/work/a",
        exported: [
          ["A", "1"],
          ["B", null],
        ],
        seen: [
          ["/f", "h1"],
          ["/g", "h2"],
        ],
      },
      { type: "workspace", seen: [["/g", null]], changed: ["/f"], todos: [{ content: "t", status: "pending" }] },
      { type: "message", message: result("c1", "#41") },
      { type: "message", message: result("c2", "#52"), parentCallId: "c1" },
      { type: "kept", handle: "#9", hash: "0".repeat(64), bytes: 1 },
      { type: "model", model: "other", settings: { model: "other" } },
      { type: "usage", model: "other", usage },
      { type: "message", message: { ...said, id: "m8" }, parentCallId: "c1" },
      { type: "name", name: "first" },
      { type: "name", name: "second" },
    ]);
    const session = readSession("s1", state);
    expect(session).toMatchObject({ name: "second", model: "other", settings: { model: "other" }, lastHandle: 52 });
    expect(session.lastMessage).toBe(8);
    expect(session.spent.map(({ model }) => model)).toEqual(["some-model", "other", "other"]);
    expect([...session.startedCalls]).toEqual(["c1"]);
    const { cwd, exported, seen, changed, todos } = session.workspace;
    expect([cwd, [...exported], [...seen], [...changed], todos]).toEqual([
      "/work/a",
      [
        ["A", "1"],
        ["B", undefined],
      ],
      [["/f", "h1"]],
      ["/f"],
      [{ content: "t", status: "pending" }],
    ]);
  });

  it("without messages is refused with its name", () => {
    save("s1", []);
    writeFileSync(join(state, "sessions/project/s2.jsonl"), "");
    writeFileSync(join(state, "sessions/project/s3.jsonl"), "[]\nnonsense\n");
    expect(problemWith("s1")).toMatch(/s1\.jsonl holds no messages/);
    expect(problemWith("s2")).toMatch(/holds no messages/);
    expect(problemWith("s3")).toMatch(/holds no messages \(2 damaged lines\)/);
  });
});

describe("finding a session", () => {
  const hello: SessionEntry = { type: "message", message: message("m1", "hello") };

  it("works by a beginning that is unique over all projects, and by the whole id even if it begins another", () => {
    save("20260101-aaa", [hello], "one");
    save("20260102-bbb", [hello], "two");
    save("20260102-bbb-2", [hello], "two");
    expect(readSession("20260101", state).id).toBe("20260101-aaa");
    expect(readSession("20260102-bbb", state).id).toBe("20260102-bbb");
  });

  it("names the sessions a short beginning could mean", () => {
    for (let n = 0; n < 8; n++) save(`2026-${n}`, [hello]);
    expect(problemWith("2026")).toMatch(/beginning of 8 sessions \(2026-0, .*2026-4, …\)/);
  });

  it("says when there is none, also without a state folder", () => {
    expect(problemWith("20260101")).toMatch(/no session 20260101/);
    expect(() => readSession("x", join(folder, "missing"))).toThrow(/no session x/);
  });

  it.each(["../secret", "..", "a/b", "/etc/passwd", "", "a\0b", "*", "-x", "a\nb", "%2e%2e"])(
    "takes %j for no id",
    (given) => {
      save("secret", [hello], "..");
      expect(problemWith(given)).toMatch(/is no session id/);
    },
  );

  it("takes a log's path below the state folder and nowhere else", () => {
    const path = save("s1", [hello]);
    expect(readSession(path, state).id).toBe("s1");
    const outside = join(folder, "outside.jsonl");
    writeFileSync(outside, `${JSON.stringify(hello)}\n`);
    expect(problemWith(outside)).toMatch(/is not below/);
    expect(problemWith(join(state, "../outside.jsonl"))).toMatch(/is not below/);
    expect(problemWith(join(state, "sessions/none.jsonl"))).toMatch(/none\.jsonl cannot be read/);
    const link = join(state, "sessions/project/link.jsonl");
    symlinkSync(outside, link);
    expect(problemWith(link)).toMatch(/is not below/);
    expect(problemWith("link")).toMatch(/link\.jsonl cannot be read/);
    expect(readdirSync(folder)).toContain("outside.jsonl");
  });
});

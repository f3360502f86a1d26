import { appendFileSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import type { Receipt } from "../contracts/context.ts";
import { UserError } from "../contracts/errors.ts";
import type { Message } from "../contracts/message.ts";
import type { SessionEntry } from "../contracts/session.ts";
import { createEventLog } from "./event-log.ts";
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
  version: 1,
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
      damagedLines: 0,
      steps: [
        { type: "message", message: message("m1", "hello") },
        { type: "edits", edits, receipt },
      ],
    });
    expect(Math.abs((session.steps[0]?.time ?? 0) - Date.now())).toBeLessThan(60_000);
  });

  it("leaves out what happened inside sub-agents", () => {
    save("s1", [
      { type: "message", message: message("m1", "outer") },
      { type: "message", message: message("m1", "inner"), parentCallId: "c1" },
      { type: "edits", edits: [], parentCallId: "c1" },
    ]);
    expect(readSession("s1", state).steps).toHaveLength(1);
  });

  it("begins at the last reset", () => {
    save("s1", [
      { type: "message", message: message("m1", "old") },
      { type: "reset" },
      { type: "message", message: message("m2", "new") },
    ]);
    expect(readSession("s1", state).steps).toMatchObject([{ message: { id: "m2" } }]);
  });

  it("survives damaged lines and counts them", () => {
    const path = save("s1", [{ type: "message", message: message("m1", "before") }]);
    const bad = [
      '{"type":"message","message":{"id":"x","ro',
      "[]",
      "null",
      "42",
      '{"type":"message","message":{"id":"x","role":"king","parts":[]}}',
      '{"type":"message","message":{"id":"x","role":"user","parts":[{"type":"text"}]}}',
      '{"type":"message","message":{"id":"x","role":"user","parts":[{"type":"constructor"}]}}',
      '{"type":"edits","edits":[{"type":"fold","through":"m1"}]}',
      '{"no":"type"}',
    ];
    const good = { type: "message", time: 1e300, message: message("m2", "after") };
    appendFileSync(path, `${bad.join("\n")}\n\n{"type":"of a later version"}\n${JSON.stringify(good)}\n`);
    const { steps, damagedLines } = readSession("s1", state);
    expect(damagedLines).toBe(bad.length);
    expect(steps.map((step) => step.type === "message" && step.message.id)).toEqual(["m1", "m2"]);
    expect(() => new Date(steps[1]?.time ?? Number.NaN).toISOString()).not.toThrow();
  });

  it("skips a line larger than any entry", () => {
    const path = save("s1", [{ type: "message", message: message("m1", "before") }]);
    const huge = Buffer.alloc(65 * 1024 * 1024, "x");
    appendFileSync(path, Buffer.concat([huge, Buffer.from("\n")]));
    appendFileSync(path, `${JSON.stringify({ type: "message", message: message("m2", "after") })}\n`);
    expect(readSession("s1", state)).toMatchObject({ damagedLines: 1, steps: [{}, {}] });
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

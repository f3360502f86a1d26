import { describe, expect, it } from "vitest";
import { createConversationRecord } from "./conversation-record.ts";
import type { FileChange } from "./file-change.ts";
import type { Message } from "./message.ts";
import type { SessionEntry, UndoScope } from "./session.ts";

const said = (id: string, role: Message["role"] = "user"): SessionEntry => ({
  type: "message",
  message: { id, role, parts: [{ type: "text", text: id }] },
});
const created = (path: string): FileChange => ({ path, after: { type: "link", target: "x" } });
const changed = (callId: string, path: string): SessionEntry => ({ type: "changes", callId, changes: [created(path)] });
const undo = (what: UndoScope, after?: string): SessionEntry => ({
  ...{ type: "undo", what, files: [] },
  ...(after === undefined ? {} : { after }),
});

function recordOf(...entries: SessionEntry[]) {
  const record = createConversationRecord();
  for (const [at, entry] of entries.entries()) record.take(entry, at);
  return record;
}
const idsOf = ({ messages }: ReturnType<typeof recordOf>) => messages.map(({ id }) => id);
const pathsOf = ({ changes }: ReturnType<typeof recordOf>) =>
  changes.flatMap((change) => change.changes.map(({ path }) => path));

const twoTurns: readonly SessionEntry[] = [
  said("m1"),
  { type: "request", rent: [1] },
  said("m2", "assistant"),
  changed("c1", "/a"),
  said("m3"),
  { type: "request", rent: [2] },
  said("m4", "assistant"),
  changed("c2", "/b"),
];

describe("the record of a conversation", () => {
  it("holds messages, edits, requests and changes in their order, each change with its prompt", () => {
    const record = recordOf(...twoTurns, { type: "edits", edits: [] });
    expect(record.steps.map(({ type }) => type)).toEqual([
      "message",
      "request",
      "message",
      "message",
      "request",
      "message",
      "edits",
    ]);
    expect(record.changes).toMatchObject([
      { promptId: "m1", callId: "c1" },
      { promptId: "m3", callId: "c2" },
    ]);
  });

  it("leaves out what happened inside sub-agents, except for what they did to files", () => {
    const record = recordOf(
      said("m1"),
      { ...said("x"), parentCallId: "c" } as SessionEntry,
      {
        ...changed("c9", "/sub"),
        parentCallId: "c",
      } as SessionEntry,
    );
    expect(idsOf(record)).toEqual(["m1"]);
    expect(pathsOf(record)).toEqual(["/sub"]);
  });

  it("supposes a request before an answer of a log that names none", () => {
    expect(recordOf(said("m1"), said("m2", "assistant")).steps).toMatchObject([
      { type: "message" },
      { type: "request", rent: [], time: 1 },
      { type: "message" },
    ]);
  });

  it("takes back what came after a message, and brings it again", () => {
    const undone = recordOf(...twoTurns, undo("both", "m2"));
    expect([idsOf(undone), pathsOf(undone)]).toEqual([["m1", "m2"], ["/a"]]);
    const redone = recordOf(...twoTurns, undo("both", "m2"), { type: "redo", what: "both", files: [] });
    const never = recordOf(...twoTurns);
    expect([redone.steps, redone.changes, redone.undone]).toEqual([never.steps, never.changes, []]);
  });

  it("takes back everything when no message is named", () => {
    const record = recordOf(...twoTurns, undo("both"));
    expect([idsOf(record), pathsOf(record), record.steps]).toEqual([[], [], []]);
  });

  it("takes back files alone, or what was said alone", () => {
    const files = recordOf(...twoTurns, undo("files", "m2"));
    expect([idsOf(files), pathsOf(files)]).toEqual([["m1", "m2", "m3", "m4"], ["/a"]]);
    const conversation = recordOf(...twoTurns, undo("conversation", "m2"));
    expect([idsOf(conversation), pathsOf(conversation)]).toEqual([
      ["m1", "m2"],
      ["/a", "/b"],
    ]);
  });

  it("forgets what could be redone as soon as something new is asked", () => {
    expect(recordOf(...twoTurns, undo("both", "m2")).undone).toHaveLength(1);
    expect(recordOf(...twoTurns, undo("both", "m2"), said("m5")).undone).toHaveLength(0);
    const after = recordOf(...twoTurns, undo("both", "m2"), said("m5"), { type: "redo", what: "both", files: [] });
    expect(idsOf(after)).toEqual(["m1", "m2", "m5"]);
  });

  it("starts anew after a reset, but still knows what was done to files", () => {
    const record = recordOf(...twoTurns, { type: "reset" }, said("m9"));
    expect([idsOf(record), pathsOf(record)]).toEqual([["m9"], ["/a", "/b"]]);
  });
});

import type { Receipt } from "../../src/contracts/context.ts";
import type { ReadableItem, ReadableSession, SessionDigest } from "../../src/contracts/saved-session.ts";
import type { SessionEntry } from "../../src/contracts/session.ts";
import { createReadable } from "../../src/session/saved/readable-session.ts";
import { createDigest } from "../../src/session/saved/session-digest.ts";
import { answered, called, finished, inside, recordsOf, said, used } from "./saved-logs.ts";
import { head, prompt } from "./session-entries.ts";

/** What a log of these entries reads like; a dollar a thousand tokens. */
export async function readableOf(entries: readonly SessionEntry[]): Promise<ReadableSession> {
  const readable = createReadable();
  const digest = createDigest({ id: "20260302-120000-abcd", logBytes: 1_234 });
  for (const record of recordsOf(entries)) {
    readable.take(record);
    digest.take(record);
  }
  const priceOf = async (_model: string, { inputTokens }: { inputTokens: number }) => inputTokens / 1_000;
  const about: SessionDigest = await digest.finishWithPrices(priceOf);
  return readable.finish({ about, priceOf, diffOf: async (changes) => `@@ -0,0 +1 @@\n+${changes[0]?.path}` });
}

const receipt: Receipt = {
  ...{ trigger: "auto", stages: ["archive"], tokensBefore: 9_000, tokensAfter: 4_000, archived: ["#1", "#2"] },
  ...{ folded: 0, appended: [], spentUsd: 0, savesUsd: 0.6 },
};

/** A session with a little of everything. */
export const fullSession: readonly SessionEntry[] = [
  head("one"),
  prompt("m1", "Fix the total.\nIt is wrong."),
  said(
    "m2",
    [
      { type: "thinking", text: "look first" },
      { type: "text", text: "I'll **look**." },
      called("c1", "bash", { command: "npm test" }),
    ],
    {
      usage: used(1_000, 20, 400),
    },
  ),
  {
    type: "event",
    event: { type: "tool.started", callId: "c1", tool: "bash", view: { label: "$", title: "npm test" } },
  },
  answered("m3", "c1", "1 failing\nline two\nline three\nline four\n[exit code 1]", true),
  said("m4", [called("c2", "agent", { task: "search" })], { usage: used(2_000, 30, 900) }),
  inside("c2", prompt("m1", "search")),
  inside("c2", said("m2", [called("c9", "grep", { pattern: "total" })], { usage: used(300) })),
  inside("c2", answered("m3", "c9", "src/a.js:3")),
  answered("m5", "c2", "it is in src/a.js"),
  { type: "edits", edits: [], receipt },
  said("m6", [called("c3", "edit_file", { file_path: "src/a.js" })], { usage: used(1_500, 40, 200) }),
  {
    type: "changes",
    callId: "c3",
    changes: [{ path: "/work/src/a.js", before: { type: "link", target: "x" }, after: { type: "link", target: "y" } }],
  },
  answered("m7", "c3", "--- a/src/a.js\n+++ b/src/a.js\n@@ -1,2 +1,2 @@\n same\n-old <b>\n+new <i>"),
  said("m8", "## Done\n\n- one\n- two\n\n```js\nlet x = 1 < 2;\n```", { usage: used(1_700, 50, 1_000) }),
  finished(4_000),
  prompt("m9", "no, leave it"),
  said("m10", "ok"),
  finished(),
  { type: "undo", after: "m8", what: "both", files: [{ path: "/work/src/a.js" }] },
];

export function flat(items: readonly ReadableItem[]): readonly ReadableItem[] {
  return items.flatMap((item) => [item, ...(item.type === "call" ? flat(item.items) : [])]);
}

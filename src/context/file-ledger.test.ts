import { describe, expect, test } from "vitest";
import { type CallSpec, createHistory } from "../../test/support/history.ts";
import type { ToolResultPart } from "../contracts/message.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import { fileLedger } from "./file-ledger.ts";
import { createTranscript } from "./transcript.ts";

type Call = CallSpec & { readonly changed?: ToolResultPart["changed"] };

const bash = (command: string, changed?: Call["changed"], more: Partial<Call> = {}): Call => ({
  ...{ tool: "bash", input: { command }, text: "done" },
  ...(changed ? { changed } : {}),
  ...more,
});
const file = (tool: string, path: string, changed?: Call["changed"]): Call => ({
  ...{ tool, input: { file_path: path, ...(tool === "edit_file" ? { old_string: "a" } : {}) }, text: "done" },
  ...(changed ? { changed } : {}),
});

function ledgerOf(calls: readonly Call[], through = Number.POSITIVE_INFINITY): [path: string, use: string][] {
  const history = createHistory();
  const transcript = createTranscript(estimateTokens);
  for (const { changed, ...call } of calls) {
    const { asked, answered } = history.round([call]);
    transcript.add(asked);
    for (const message of answered)
      transcript.add({
        ...message,
        parts: message.parts.map((part) => ({ ...part, ...(changed ? { changed } : {}) })),
      });
  }
  return [...fileLedger(transcript, through)];
}

describe("what changed on disk", () => {
  test("is listed for shell commands, whose arguments name no file", () => {
    const changed = [
      { path: "src/new.ts", use: "created" },
      { path: "src/old.ts", use: "deleted" },
      { path: "README.md", use: "edited" },
    ] as const;
    expect(ledgerOf([bash("git mv src/old.ts src/new.ts && sed -i s/old/new/ README.md", changed)])).toEqual([
      ["src/new.ts", "created"],
      ["src/old.ts", "deleted"],
      ["README.md", "edited"],
    ]);
  });

  test("wins over what the arguments say", () => {
    // write_file looks like a new file, but there was one already
    expect(ledgerOf([file("write_file", "src/a.ts", [{ path: "src/a.ts", use: "edited" }])])).toEqual([
      ["src/a.ts", "edited"],
    ]);
    expect(ledgerOf([file("edit_file", "src/a.ts", [{ path: "src/b.ts", use: "edited" }])])).toEqual([
      ["src/b.ts", "edited"],
    ]);
  });

  test("counts also when the call failed", () => {
    const failed = bash("make", [{ path: "out/a.o", use: "created" }], { isError: true });
    expect(ledgerOf([failed])).toEqual([["out/a.o", "created"]]);
  });

  test("has one name for a file that calls name in full", () => {
    const ledger = ledgerOf([
      file("read_file", "/w/src/a.ts"),
      file("edit_file", "/w/src/a.ts", [{ path: "src/a.ts", use: "edited" }]),
      file("read_file", "/w/src/a.ts"),
      file("read_file", "/w/src/other/a.ts"),
    ]);
    expect(ledger).toEqual([
      ["src/a.ts", "edited"],
      ["/w/src/other/a.ts", "read"],
    ]);
  });
});

describe("a file touched more than once", () => {
  const made = bash("touch a", [{ path: "a", use: "created" }]);
  const edited = bash("echo >> a", [{ path: "a", use: "edited" }]);
  const deleted = bash("rm a", [{ path: "a", use: "deleted" }]);
  const read = file("read_file", "a");

  test.each([
    ["new after an edit", [made, edited], "created"],
    ["edited after it was looked at", [edited, read], "edited"],
    ["deleted whatever it was before", [made, edited, read, deleted], "deleted"],
    ["new when it was made again", [edited, deleted, made], "created"],
    ["there when it could be read again", [deleted, read], "read"],
  ])("is %s", (_name, calls, use) => {
    expect(ledgerOf(calls)).toEqual([["a", use]]);
  });

  test("stands where it was last touched, and only as far as the ledger goes", () => {
    const calls = [made, file("read_file", "b"), edited];
    expect(ledgerOf(calls).map(([path]) => path)).toEqual(["b", "a"]);
    expect(ledgerOf(calls, 3).map(([path]) => path)).toEqual(["a", "b"]);
  });
});

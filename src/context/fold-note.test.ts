import { describe, expect, test } from "vitest";
import { createHistory, programText } from "../../test/support/history.ts";
import type { Message } from "../contracts/message.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import { foldNote } from "./fold-note.ts";
import { createTranscript } from "./transcript.ts";

const limits = { userTokens: 200, proseTokens: 100, indexTokens: 60 };

function noteOf(build: (history: ReturnType<typeof createHistory>) => readonly Message[], more = {}) {
  const transcript = createTranscript(estimateTokens);
  for (const message of build(createHistory())) transcript.add(message);
  return foldNote({
    transcript,
    estimate: estimateTokens,
    through: transcript.entries.length - 1,
    summary: "THE SUMMARY",
    limits,
    pinned: [],
    kept: new Set(),
    ...more,
  });
}

function section(note: string, title: string): string {
  const start = note.indexOf(`## ${title}\n`);
  return start < 0 ? "" : (note.slice(start + title.length + 4).split("\n\n## ")[0] ?? "");
}

describe("the note that stands for what was folded", () => {
  test("quotes the person word for word, the newest as far as they fit, in their order", () => {
    const note = noteOf((h) => Array.from({ length: 60 }, (_, n) => h.user(`please keep rule ${n}`)));
    const said = section(note, "What the user said").split("\n");
    expect(said[0]).toMatch(/\(\d+ older left out; recall finds them\)/);
    expect(said.at(-1)).toBe("- please keep rule 59");
    expect(said.at(-2)).toBe("- please keep rule 58");
    expect(said.length).toBeGreaterThan(10);
    expect(said.length).toBeLessThan(50);
  });

  test("quotes of a long message its beginning and its end, and says that the rest can be found", () => {
    const pasted = `look at this log:\n${programText(20_000, 1)}\nwhy does it fail?`;
    const build = (h: ReturnType<typeof createHistory>) => [h.user("never use tabs"), h.user(pasted)];
    const said = section(noteOf(build, { limits: { ...limits, userTokens: 20_000 } }), "What the user said");
    expect(said).toContain("- never use tabs\n- look at this log:\n");
    expect(said).toMatch(/\[… \d+ characters left out; recall with a query finds them …\]/);
    expect(said.endsWith("why does it fail?")).toBe(true);
    expect(estimateTokens(said)).toBeLessThan(1_300);
  });

  test("does not quote what stays in the view, nor what the program wrote", () => {
    const note = noteOf(
      (h) => [h.user("first request"), { ...h.user("[notice: go on]"), synthetic: true }, h.user("other")],
      { kept: new Set(["m1"]) },
    );
    expect(section(note, "What the user said")).toBe("- other");
  });

  test("lists files by what was done to them, not those whose call failed", () => {
    const note = noteOf((h) => {
      const rounds = [
        { tool: "read_file", input: { file_path: "src/read.ts" } },
        { tool: "edit_file", input: { file_path: "src/edited.ts", old_string: "a", new_string: "b" } },
        { tool: "write_file", input: { file_path: "src/new.ts", content: "x" } },
        { tool: "read_file", input: { file_path: "src/edited.ts" } },
        { tool: "edit_file", input: { file_path: "src/failed.ts", old_string: "a", new_string: "b" }, isError: true },
      ].map((call) => h.round([{ text: "ok", ...call }]));
      return rounds.flatMap(({ asked, answered }) => [asked, ...answered]);
    });
    expect(section(note, "Files").split("\n")).toEqual([
      "edited: src/edited.ts",
      "created: src/new.ts",
      "read: src/read.ts",
    ]);
  });

  test("lists what a command changed on disk, also what it deleted", () => {
    const note = noteOf((h) => {
      const { asked, answered } = h.round([{ text: "ok", tool: "bash", input: { command: "make clean" } }]);
      const changed = [
        { path: "out/a.o", use: "deleted" },
        { path: "Makefile", use: "edited" },
      ] as const;
      const parts = answered.flatMap(({ parts: own }) => own.map((part) => ({ ...part, changed })));
      return [asked, { ...(answered[0] as Message), parts }];
    });
    expect(section(note, "Files").split("\n")).toEqual(["edited: Makefile", "deleted: out/a.o"]);
  });

  test("keeps the last errors, each once", () => {
    const note = noteOf((h) =>
      ["Error: one", "Error: two", "Error: one"].flatMap((text) => {
        const { asked, answered } = h.round([{ text: `output\n${text}\nmore`, isError: true }]);
        return [asked, ...answered];
      }),
    );
    expect(section(note, "Errors seen last").split("\n").toSorted()).toEqual(["- Error: one", "- Error: two"]);
  });

  test("indexes the archive, newest first, within its budget", () => {
    const note = noteOf((h) =>
      Array.from({ length: 40 }, (_, n) =>
        h.round([{ text: programText(500, n), tool: "read_file", input: { path: `src/f${n}.ts` } }]),
      ).flatMap(({ asked, answered }) => [asked, ...answered]),
    );
    const index = section(note, "Archived results, newest first").split("\n");
    expect(index[0]).toBe("#40 read_file src/f39.ts");
    expect(index[1]).toBe("#39 read_file src/f38.ts");
    expect(estimateTokens(index.join("\n"))).toBeLessThanOrEqual(70);
  });

  test("says that it is a record and how to get the rest back; holds the summary and open tasks", () => {
    const note = noteOf((h) => [h.user("x")], { pinned: ["[in_progress] write the parser"] });
    expect(note).toMatch(/recall\("#handle"\)[\s\S]*not a new request/);
    expect(section(note, "Summary")).toBe("THE SUMMARY");
    expect(section(note, "Open tasks")).toBe("- [in_progress] write the parser");
  });
});

import "../../../test/support/property-seed.ts";
import { visibleWidth } from "@earendil-works/pi-tui";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { loadHighlighter } from "./highlight.ts";
import { createMarkdownStream } from "./markdown-stream.ts";
import { plainRow, rowWidth } from "./rows.ts";
import { chooseTheme } from "./theme.ts";

const plain = chooseTheme({ wish: "auto", colours: "none" });
const coloured = chooseTheme({ wish: "dark", colours: "256" });

beforeAll(loadHighlighter);

function show(text: string, width = 60, options: { links?: "hyperlinks" | "addresses" } = {}): string[] {
  const stream = createMarkdownStream({ theme: plain, width, ...options });
  stream.push(text);
  return stream.finish();
}

/** Looks as somebody watching sees it: what was settled, in order, and what was live after each piece. */
function watch(pieces: readonly string[], width: number) {
  const stream = createMarkdownStream({ theme: coloured, width });
  const settled: string[] = [];
  const looks = pieces.map((piece) => {
    stream.push(piece);
    settled.push(...stream.settled());
    return { settled: settled.length, live: stream.live() };
  });
  return { rows: [...settled, ...stream.finish()], looks };
}

const block = fc.constantFrom(
  "# A heading of some words\n",
  "### Third level ###\n",
  "A paragraph with **bold words**, *some* _italic_ ones, ~~struck~~, `code` and [a link](https://example.com/path).\n",
  `A long one: ${"words and more words ".repeat(12)}**that end in bold** https://example.com/a_b_c.\n`,
  `${"unclosed ** and ` and [ and _here ".repeat(6)}\n`,
  "- one\n- two\n  - two point one, which is longer than the others are\n    - deeper\n- [x] done\n- [ ] open\n",
  "1. first\n   goes on\n2. second\n\n   after a blank\n",
  "> quoted text that goes on for a while so that it is broken\n> > twice\n>\n> - item\n",
  "```ts\nconst a = 1; // one\n\n/* open\n still */ const b = `x${a}`;\n```\n",
  "~~~\n\tindented\twith tabs\n~~~\n",
  "| a | b |\n|---|--:|\n| one | 2 |\n| **long text in a cell** | 1000 |\n",
  "a | b\n--- | ---\nx | y\n\n",
  "a | b is no table\n",
  "---\n",
  "\n",
  "\n\n\n",
  "混排中文和 English 的一段很长的文字，没有空格也要换行。日本語も含みます。한국어 단어도.\n",
  "emoji 👨‍👩‍👧 👩🏽‍💻 🇩🇪 ❤️ é (e\u0301) done\n",
  "\u001b[31mred\u001b[0m \u202eturned \u0007bell\r\n",
  `${"x".repeat(300)}\n`,
  `\`\`\`\n${"y".repeat(1_200)}\ttail\n\`\`\`\n`,
  "- - - -\n",
  "\\*not italic\\* 2 * 3 * 4 snake_case_name\n",
  "no line end",
);
const anyText = fc.oneof(
  { weight: 4, arbitrary: fc.array(block, { minLength: 1, maxLength: 6 }).map((blocks) => blocks.join("")) },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 200 }) },
  {
    weight: 2,
    arbitrary: fc
      .array(
        fc.constantFrom(
          "*",
          "**",
          "_",
          "`",
          "```",
          "\n",
          " ",
          "|",
          "-",
          "#",
          "> ",
          "[",
          "](",
          "https://x",
          "a",
          "word ",
          "好",
          "\r",
        ),
        {
          maxLength: 80,
        },
      )
      .map((tokens) => tokens.join("")),
  },
);
const widths = fc.integer({ min: 8, max: 100 });

function cut(text: string, sizes: readonly number[]): string[] {
  const pieces: string[] = [];
  let at = 0;
  for (let turn = 0; at < text.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    pieces.push(text.slice(at, at + size));
    at += size;
  }
  return pieces;
}

describe("whatever is written, however it arrives", () => {
  it("ends as the same rows, and what is settled never changes", () => {
    fc.assert(
      fc.property(
        anyText,
        widths,
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 }),
        (text, width, sizes) => {
          const whole = watch([text], width).rows;
          expect(watch(cut(text, sizes), width).rows).toEqual(whole);
        },
      ),
      { numRuns: 120 },
    );
  });

  it("is the same wherever it is cut in two, also inside of what is drawn as one", () => {
    const text = `${"👩🏽\u200d💻 ".repeat(24)}e\u0301 **a*b** \u202e https://x.test/ü. \`\`c\`d\`\`\r\n🇩🇪\u200dx\t[l](https://y.test)\r\n`;
    const whole = watch([text], 50).rows;
    for (let at = 1; at < text.length; at++) expect(watch([text.slice(0, at), text.slice(at)], 50).rows).toEqual(whole);
  });

  it("is never wider than the terminal, and carries no control character that is not ours", () => {
    fc.assert(
      fc.property(anyText, widths, fc.integer({ min: 1, max: 30 }), (text, width, size) => {
        const { rows, looks } = watch(cut(text, [size]), width);
        for (const row of [...rows, ...looks.flatMap(({ live }) => live)]) {
          expect(rowWidth(row)).toBeLessThanOrEqual(width);
          expect(visibleWidth(row)).toBeLessThanOrEqual(width);
          expect(plainRow(row)).not.toMatch(/[\p{Cc}\u202e\u2066]/u);
        }
      }),
      { numRuns: 50 },
    );
  });

  it("loses no word", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("alpha", "beta", "gamma_delta", "12", "x*y", "- dash"), { maxLength: 60 }),
        widths,
        (words, width) => {
          const shown = show(words.join(" "), width).join(" ");
          const squeezed = (text: string) => text.replace(/[\s•-]/g, "");
          expect(squeezed(shown)).toBe(squeezed(words.join(" ")));
        },
      ),
      { numRuns: 30 },
    );
  });
});

describe("Markdown", () => {
  it("shows headings, emphasis, links, lists, quotes and rules", () => {
    const text = [
      "# Title",
      "Some **bold**, *italic*, ~~gone~~ and `code`; [docs](https://x.test/a), https://x.test/b.",
      "- one",
      "  - two that goes on and on until it has to be broken somewhere",
      "    1. three",
      "- [x] done",
      "> quoted",
      "> > twice",
      "---",
      "\\*plain\\* snake_case_name 2 * 3 * 4",
    ];
    expect(show(text.join("\n"), 44)).toEqual([
      "Title",
      "Some bold, italic, gone and code; docs",
      "(https://x.test/a), https://x.test/b.",
      "• one",
      "  • two that goes on and on until it has to",
      "    be broken somewhere",
      "    1. three",
      "☑ done",
      "│ quoted",
      "│ │ twice",
      "────────────────────────────────────────────",
      "*plain* snake_case_name 2 * 3 * 4",
    ]);
  });

  it("lines tables up, breaks cells, and makes lists of them where there is no room", () => {
    const table = "| Name | Size |\n|:--|--:|\n| 中文 | 5 |\n| a long name here | 1000 |\nafter";
    expect(show(table, 60)).toEqual([
      "Name             │ Size",
      "─────────────────┼─────",
      "中文             │    5",
      "a long name here │ 1000",
      "after",
    ]);
    expect(show(table, 18)).toEqual([
      "Name        │ Size",
      "────────────┼─────",
      "中文        │    5",
      "a long name │ 1000",
      "here        │",
      "after",
    ]);
    const narrow = show("| first | second | third |\n|-|-|-|\n| alphabet | betabetabet | gammagamma |", 16);
    expect(narrow.slice(0, 3)).toEqual(["first: alphabet", "second:", "  betabetabet"]);
  });

  it("gives a line away when it ends, a table when it ends, and a long line while it grows", () => {
    const stream = createMarkdownStream({ theme: plain, width: 40 });
    stream.push("first\nsec");
    expect([stream.settled(), stream.live()]).toEqual([["first"], ["sec"]]);
    stream.push("ond\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3");
    expect([stream.settled(), stream.live()]).toEqual([["second"], ["", "a │ b", "──┼──", "1 │ 2"]]);
    stream.push(" | 4 |\n\n");
    stream.push("word ".repeat(60));
    expect(stream.settled()).toEqual([
      "",
      "a │ b",
      "──┼──",
      "1 │ 2",
      "3 │ 4",
      "",
      ...Array(7).fill("word word word word word word word word"),
    ]);
    expect(stream.finish()).toEqual(["word word word word"]);
  });

  it("keeps what is settled when the window changes its width, and breaks the rest anew", () => {
    const stream = createMarkdownStream({ theme: plain, width: 40 });
    stream.push("word ".repeat(60));
    const before = stream.settled();
    stream.resize(20);
    stream.push("word ".repeat(8));
    const after = [...stream.settled(), ...stream.finish()];
    for (const row of after) expect(rowWidth(row)).toBeLessThanOrEqual(20);
    expect([...before, ...after].join(" ").split(" ")).toHaveLength(68);
  });

  it("colours code line by line, and remembers an open comment", () => {
    const stream = createMarkdownStream({ theme: coloured, width: 60 });
    stream.push("```ts\nconst a = 1; /* open\n");
    const [first = ""] = stream.settled();
    stream.push("const in comment\n*/ const b = 2;\n```\n");
    const [second = "", third = ""] = stream.settled();
    expect(first).toContain(coloured.accent("const"));
    expect(second).toBe(`  ${coloured.dim("const in comment")}`);
    expect(third).toContain(coloured.accent("const"));
    expect([first, second, third].map(plainRow)).toEqual([
      "  const a = 1; /* open",
      "  const in comment",
      "  */ const b = 2;",
    ]);
  });

  it("makes links where the terminal can follow them", () => {
    const [row = ""] = show("[docs](https://x.test/ü)", 40, { links: "hyperlinks" });
    expect(row).toBe("\u001b]8;;https://x.test/%C3%BC\u001b\\docs\u001b]8;;\u001b\\");
    expect(rowWidth(row)).toBe(4);
  });

  it("costs in proportion to what is new, also when the text is made to be slow", () => {
    for (const unit of ["*a ", "[", "`x ", "a_", "| a ", "> ", "x", "word "]) {
      const text = unit.repeat(Math.ceil(12_000 / unit.length));
      const stream = createMarkdownStream({ theme: plain, width: 100 });
      const start = performance.now();
      for (let at = 0; at < text.length; at += 40) {
        stream.push(text.slice(at, at + 40));
        stream.settled();
        stream.live();
      }
      stream.finish();
      expect(performance.now() - start).toBeLessThan(1_500);
    }
  });
});

import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { flat, fullSession, readableOf } from "../../test/support/readable-sessions.ts";
import { answered, called, said, used } from "../../test/support/saved-logs.ts";
import { anyEntry, head, notice, prompt } from "../../test/support/session-entries.ts";
import { maskSession } from "../session/saved/export-session.ts";
import { sessionPage } from "./session-page.ts";

const pageOf = async (entries: Parameters<typeof readableOf>[0]) => sessionPage(await readableOf(entries));
const count = (page: string, pattern: RegExp) => page.match(pattern)?.length ?? 0;
const between = (page: string, tag: string) => new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(page)?.[1] ?? "";

describe("the page of a session", () => {
  it("loads nothing, sends nothing, and lets the browser see to it", async () => {
    const page = await pageOf(fullSession);
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? "";
    const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(policy).toContain(`style-src ${hash(between(page, "style"))}`);
    expect(policy).toContain(`script-src ${hash(between(page, "script"))}`);
    expect(page).not.toMatch(
      /<(?:link|iframe|object|embed|base|form)\b|@import|url\(|\ssrc="(?!data:image)|\sstyle="/i,
    );
    expect(page.replace(/<a href="https?:[^>]*>/g, "")).not.toMatch(/(?:href|src)="(?!#|data:image)/);
  });

  it("holds all that was said and done, each under its number, requests in the table of contents", async () => {
    const session = await readableOf(fullSession);
    const page = await sessionPage(session);
    for (const { number } of flat(session.items)) expect(count(page, new RegExp(`id="i${number}"`, "g"))).toBe(1);
    for (const text of ["It is wrong.", "<strong>look</strong>", "npm test", "line four", "src/a.js:3", "look first"])
      expect(page).toContain(text);
    expect(count(page, /<nav[\s\S]*<\/nav>/g)).toBe(1);
    expect(page).toMatch(
      /<nav[\s\S]*<a href="#i0">Fix the total\.<\/a>[\s\S]*class="undone"[\s\S]*no, leave it[\s\S]*<\/nav>/,
    );
    expect(count(page, /<section class="turn">/g)).toBe(2);
  });

  it("folds tools with their first lines in sight, opens short diffs, and nests sub-agents", async () => {
    const page = await pageOf(fullSession);
    expect(page).toMatch(
      /<details class="failed"><summary>[\s\S]*?1 failing\nline two\nline three\n<i>… 2 more lines<\/i>/,
    );
    expect(page).toMatch(/<details class="" open><summary>[\s\S]*?edit_file/);
    expect(page).toContain('<span class="minus">-old &lt;b&gt;</span>');
    expect(page).toContain('<span class="plus">+new &lt;i&gt;</span>');
    expect(page).toMatch(/<div class="inside">[\s\S]*?<span class="verb">grep<\/span>/);
    expect(page).toMatch(/<div class="item thinking"[^>]*><details><summary>thinking/);
  });

  it("draws window and cost over the calls, and marks the cuts with links to them", async () => {
    const session = await readableOf(fullSession);
    const page = await sessionPage(session);
    const cut = session.items.find(({ type }) => type === "receipt")?.number;
    expect(page).toContain(
      `<a href="#i${cut}" class="cutmark"><title>context 9.0k → 4.0k, about $0.60 saved, 2 results archived`,
    );
    expect(count(page, /<path class="window"/g)).toBe(1);
    expect(count(page, /<path class="spent"/g)).toBe(1);
    expect(page).not.toMatch(/NaN|Infinity|undefined/);
    const data = JSON.parse(/id="data">([^<]*)</.exec(page)?.[1] ?? "");
    expect(data.tokens).toEqual([1_000, 2_000, 1_500, 1_700]);
    expect(data.cost.at(-1)).toBeCloseTo(6.5);
  });

  it("has no chart with fewer than two calls, and no cost line without prices", async () => {
    expect(await pageOf([head("x"), prompt("m1", "hi"), said("m2", "ho", { usage: used(5) })])).not.toContain("<svg");
    expect(await pageOf([])).toContain("<main");
  });

  const hostile = [
    "</script><script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "</style>",
    "<!--",
    "<img src=x onerror=alert(1)>",
    `"' onload="alert(1)`,
    "]]>",
    "\u2028",
  ];
  it.each(hostile)("shows the hostile text %j as text, wherever it stands", async (evil) => {
    const page = await pageOf([
      { ...head("x"), cwd: evil, model: evil } as never,
      prompt("m1", evil),
      { type: "name", name: evil },
      said(
        "m2",
        [{ type: "thinking", text: evil }, { type: "text", text: evil }, called("c1", evil, { [evil]: evil })],
        { usage: used(5) },
      ),
      answered("m3", "c1", evil),
      answered("m4", "c1", `@@ -1 +1 @@\n+${evil}`),
      { type: "changes", callId: "c1", changes: [{ path: evil }] },
      said("m5", [{ type: "image", mediaType: evil, base64: evil }], { role: "user", usage: used(5) }),
      notice(evil),
      {
        type: "event",
        event: {
          type: "turn.finished",
          outcome: { type: "failed", error: new Error(evil) },
          totals: { rounds: 1, usage: used(1), costUsd: 1, durationMs: 1, apiMs: 1, denials: [] },
        },
      },
    ]);
    expect(count(page, /<script\b/g)).toBe(2);
    expect(count(page, /<\/script>/g)).toBe(2);
    expect(count(page, /<\/style>/g)).toBe(1);
    expect(count(page, /<\/title>/g)).toBe(1);
    expect(page).not.toMatch(/<img src=x|<!--|\sonload="/);
  });

  it("writes out what is invisible or turns the direction, and drops terminal sequences", async () => {
    const page = await pageOf([prompt("m1", "a\u202eb\u200bc \u001b[31mred\u001b[0m\u0007 👨‍👩‍👧 tab\there\r\n")]);
    expect(page).toContain("a&lt;U+202E&gt;b&lt;U+200B&gt;c red 👨‍👩‍👧 tab\there");
    expect(page).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
  });

  it("shows images that are images, and nothing else as one", async () => {
    const image = (mediaType: string, base64: string) =>
      said("m1", [{ type: "image", mediaType, base64 }], { role: "user" });
    expect(await pageOf([image("image/png", "iVBORw0KGgo=")])).toContain(
      '<img src="data:image/png;base64,iVBORw0KGgo="',
    );
    expect(await pageOf([image("image/svg+xml", "PHN2Zz4=")])).not.toContain("<img");
    expect(await pageOf([image("text/html", "PHN2Zz4=")])).not.toContain("<img");
  });

  it("can be made of any log", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyEntry, { maxLength: 8 }), async (entries) => {
        const page = await sessionPage(maskSession(await readableOf(entries)));
        expect(count(page, /<script\b/g)).toBe(2);
        expect(page.endsWith("</html>\n")).toBe(true);
      }),
    );
  });
});

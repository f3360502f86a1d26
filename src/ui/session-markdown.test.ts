import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fullSession, readableOf } from "../../test/support/readable-sessions.ts";
import { answered, called, said } from "../../test/support/saved-logs.ts";
import { anyEntry, head, prompt } from "../../test/support/session-entries.ts";
import { exportJson, maskSession } from "../session/saved/export-session.ts";
import { sessionMarkdown } from "./session-markdown.ts";

const secret = ["sk", "proj", "4f9a1c7e2b8d4f9a1c7e2b8d"].join("-");

describe("a session as Markdown", () => {
  it("has requests as headings, answers as they are, tools folded away", async () => {
    const text = sessionMarkdown(await readableOf(fullSession));
    expect(text).toMatch(/^# Fix the total\. It is wrong\.\n/);
    expect(text).toContain("## 1. Fix the total.");
    expect(text).toContain("> Fix the total.\n> It is wrong.");
    expect(text).toContain("I'll **look**.");
    expect(text).toMatch(
      /<details>\n<summary>\$ npm test, 1\.0 s, failed<\/summary>\n\n```json\n\{"command":"npm test"\}\n```/,
    );
    expect(text).toMatch(/```diff\n--- a\/src\/a\.js/);
    expect(text).toContain("**sub-agent**");
    expect(text).toContain("## 2. no, leave it (taken back)");
    expect(text).toContain("- edited `src/a.js`");
    expect(text.match(/<details>/g)?.length).toBe(text.match(/<\/details>/g)?.length);
  });

  it("keeps a text with fences of its own inside its fence, and closes what an answer left open", async () => {
    const text = sessionMarkdown(
      await readableOf([
        said("m1", [called("c1", "bash", { command: "cat" })]),
        answered("m2", "c1", "````\n</details>\n````"),
        said("m3", "```js\nnever closed", { stopReason: "length" }),
        prompt("m4", "next <script>"),
      ]),
    );
    expect(text).toContain("`````\n````\n</details>\n````\n`````");
    expect(text).toContain("```js\nnever closed\n```\n\n*[cut off]*");
    expect(text).toContain("> next \\<script>");
  });

  it("can be made of any log, without a control character", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyEntry, { maxLength: 8 }), async (entries) => {
        expect(sessionMarkdown(await readableOf(entries))).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
      }),
    );
  });
});

describe("an export", () => {
  it("holds no secret, wherever it stood", async () => {
    const session = maskSession(
      await readableOf([
        head("x"),
        { type: "name", name: `with ${secret}` },
        prompt("m1", `use ${secret}`),
        said("m2", [
          { type: "thinking", text: secret },
          { type: "text", text: secret },
          called("c1", "bash", { command: `K=${secret}` }),
        ]),
        answered("m3", "c1", `key ${secret}`),
        { type: "changes", callId: "c1", changes: [{ path: `/work/${secret}` }] },
        said("m4", [{ type: "image", mediaType: "image/png", base64: `${"A".repeat(40)}==` }], { role: "user" }),
      ]),
    );
    const json = JSON.stringify(exportJson(session));
    expect(json).not.toContain(secret.slice(-10));
    expect(sessionMarkdown(session)).not.toContain(secret.slice(-10));
    expect(json.match(/sk-proj-\[masked\]/g)?.length).toBeGreaterThanOrEqual(6);
    expect(json).toContain(`${"A".repeat(40)}==`);
  });

  it("says its format and version, and leaves nothing undefined", async () => {
    const value = exportJson(await readableOf(fullSession)) as Record<string, unknown>;
    expect(value).toMatchObject({
      format: "corecoder-session",
      version: 1,
      session: {
        id: "20260302-120000-abcd",
        name: null,
        forkedFrom: null,
        startedAt: expect.stringMatching(/^2026-03-0.T.*Z$/),
      },
    });
    const back = JSON.parse(JSON.stringify(value));
    expect(back.items[0]).toMatchObject({ type: "prompt", time: expect.stringMatching(/Z$/) });
    expect(back.items.find((item: { tool?: string }) => item.tool === "agent").items[1]).toMatchObject({
      type: "call",
      tool: "grep",
      time: expect.stringMatching(/Z$/),
    });
    expect(back.modelCalls).toHaveLength(6);
  });
});

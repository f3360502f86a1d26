import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { markdownHtml } from "./markdown-html.ts";

describe("what models write, as a page", () => {
  it.each([
    ["# Big\n## Small", "<h3>Big</h3>\n<h4>Small</h4>"],
    ["one\ntwo\n\nthree", "<p>one<br>two</p>\n<p>three</p>"],
    [
      "`a<b` and **bold *both*** and _it_ and ~~no~~",
      "<p><code>a&lt;b</code> and <strong>bold <em>both</em></strong> and <em>it</em> and <del>no</del></p>",
    ],
    [
      "- a\n- b\n  - c\n- d",
      "<ul><li><p>a</p></li><li><p>b</p>\n<ul><li><p>c</p></li></ul></li><li><p>d</p></li></ul>",
    ],
    ["3. x\n4. y", '<ol start="3"><li><p>x</p></li><li><p>y</p></li></ol>'],
    ["> quoted\n> more", "<blockquote><p>quoted<br>more</p></blockquote>"],
    ["---", "<hr>"],
    ["```js\nlet a = `x`;\n\n# no heading\n```\nafter", "<pre>let a = `x`;\n\n# no heading</pre>\n<p>after</p>"],
    ["```\nnever closed", "<pre>never closed</pre>"],
    [
      "| a | b |\n|---|:-:|\n| 1 | `x\\|y` |",
      '<div class="scroll"><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td><code>x|y</code></td></tr></tbody></table></div>',
    ],
    ["snake_case_name and 2 * 3 * 4", "<p>snake_case_name and 2 * 3 * 4</p>"],
    [
      "see https://a.example/x?y=1&z. Then",
      '<p>see <a href="https://a.example/x?y=1&amp;z" rel="noreferrer noopener">https://a.example/x?y=1&amp;z</a>. Then</p>',
    ],
    ["[text](https://a.example)", '<p><a href="https://a.example" rel="noreferrer noopener">text</a></p>'],
  ])("%j", (text, html) => {
    expect(markdownHtml(text)).toBe(html);
  });

  it.each([
    "[x](javascript:alert(1))",
    "[x](data:text/html,<script>)",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '[a"onmouseover=alert(1) b](https://x" onclick="alert(1))',
    "```\n</pre><script>alert(1)</script>\n```",
    "| <b> | \n|---|\n| </table><script> |",
    "`</code><script>`",
  ])("lets no markup of theirs through: %j", (text) => {
    const html = markdownHtml(text);
    expect(html).not.toMatch(/<(?:script|img|b)\b|\bon\w+="|href="(?!https?:)/);
    expect(html.replace(/<[^>]*>/g, "")).not.toMatch(/[<>]/);
  });

  it("only ever writes its own tags, whatever the text", () => {
    const piece = fc.constantFrom(
      "*",
      "**",
      "_",
      "`",
      "```",
      "\n",
      "\n\n",
      "- ",
      "  ",
      "> ",
      "|",
      "|---|",
      "# ",
      "<b>",
      '"',
      "&",
      "[x](",
      ")",
      "https://x",
      "1. ",
      "a",
      "~~",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const html = markdownHtml(pieces.join(""));
        const tags = [...html.matchAll(/<\/?([a-z0-9]+)/g)].map(([, tag]) => tag);
        const own = [
          "p",
          "br",
          "pre",
          "span",
          "code",
          "strong",
          "em",
          "del",
          "a",
          "ul",
          "ol",
          "li",
          "blockquote",
          "hr",
          "div",
          "table",
          "thead",
          "tbody",
          "tr",
          "th",
          "td",
          "h3",
          "h4",
          "h5",
          "h6",
        ];
        expect(own).toEqual(expect.arrayContaining(tags));
        expect(html.replace(/<[^<>]*>/g, "")).not.toMatch(/[<>]/);
      }),
    );
  });

  it("takes time in proportion to the text, also when it is made to be slow", () => {
    for (const piece of ["`", "*", "**a", "[", "[x](", "> ", "- ", "|", "_a", "~~", "1. ", "\n> - ", "a|\n-|\n"]) {
      const startedAt = performance.now();
      markdownHtml(piece.repeat(60_000 / piece.length));
      expect(performance.now() - startedAt).toBeLessThan(4_000);
    }
  });
});

import { diffHtml, isDiff } from "./diff-html.ts";
import { escapeHtml } from "./escape-html.ts";
import { inlineHtml } from "./markdown-inline.ts";

/** Quotes and lists inside each other beyond this are shown as they are written. */
const deepest = 8;

/** What models write, as HTML. Everything that is not one of the known forms is text; no markup of theirs gets through. */
export function markdownHtml(text: string): string {
  return blocksHtml(text.split("\n"), 0);
}

type Block = { readonly html: string; readonly next: number };
type BlockForm = (lines: readonly string[], at: number, depth: number) => Block | undefined;

function blocksHtml(lines: readonly string[], depth: number): string {
  const html: string[] = [];
  for (let at = 0; at < lines.length; ) {
    if (lines[at]?.trim() === "") {
      at++;
      continue;
    }
    const block = blockAt(lines, at, depth) ?? paragraph(lines, at);
    html.push(block.html);
    at = block.next;
  }
  return html.join("\n");
}

function blockAt(lines: readonly string[], at: number, depth: number): Block | undefined {
  for (const form of forms) {
    const block = form(lines, at, depth);
    if (block) return block;
  }
  return undefined;
}

const fence: BlockForm = (lines, at) => {
  const opening = /^ {0,12}(`{3,}|~{3,})\s*([^`]*)$/.exec(lines[at] ?? "");
  if (!opening) return undefined;
  const mark = opening[1] as string;
  const isEnd = (line: string) => line.trim().startsWith(mark) && /^(?:`+|~+)$/.test(line.trim());
  let next = at + 1;
  while (next < lines.length && !isEnd(lines[next] as string)) next++;
  return { html: codeHtml(lines.slice(at + 1, next).join("\n")), next: next + 1 };
};

export function codeHtml(code: string): string {
  return isDiff(code) ? `<pre class="diff">${diffHtml(code)}</pre>` : `<pre>${escapeHtml(code)}</pre>`;
}

const heading: BlockForm = (lines, at) => {
  const found = /^ {0,3}(#{1,6})\s+(.*?)\s*#*$/.exec(lines[at] ?? "");
  if (!found) return undefined;
  // the page has headings of its own above these
  const level = Math.min(6, (found[1] as string).length + 2);
  return { html: `<h${level}>${inlineHtml(found[2] as string)}</h${level}>`, next: at + 1 };
};

const rule: BlockForm = (lines, at) =>
  /^ {0,3}([-*_])(?: *\1){2,} *$/.test(lines[at] ?? "") ? { html: "<hr>", next: at + 1 } : undefined;

const quote: BlockForm = (lines, at, depth) => {
  let next = at;
  while (next < lines.length && /^ {0,3}>/.test(lines[next] as string)) next++;
  if (next === at || depth >= deepest) return undefined;
  const inside = lines.slice(at, next).map((line) => line.replace(/^ {0,3}> ?/, ""));
  return { html: `<blockquote>${blocksHtml(inside, depth + 1)}</blockquote>`, next };
};

const itemMark = /^(\s*)([-*+]|\d{1,9}[.)])(\s+)(?=\S)/;

const list: BlockForm = (lines, at, depth) => {
  const first = itemMark.exec(lines[at] ?? "");
  if (!first || depth >= deepest) return undefined;
  const isNumbered = /\d/.test(first[2] as string);
  const indent = (first[1] as string).length;
  const items: string[] = [];
  let next = at;
  for (;;) {
    const mark = itemMark.exec(lines[next] ?? "");
    const isItem =
      mark !== null && (mark[1] as string).length === indent && /\d/.test(mark[2] as string) === isNumbered;
    if (!isItem) break;
    const width = mark[0].length;
    const inside = [(lines[next] as string).slice(width)];
    for (next++; next < lines.length && belongsToItem(lines, next, indent); next++)
      inside.push((lines[next] as string).replace(new RegExp(`^\\s{0,${width}}`), ""));
    items.push(`<li>${blocksHtml(inside, depth + 1)}</li>`);
  }
  const start = isNumbered ? Number.parseInt(first[2] as string, 10) : 1;
  const tag = isNumbered ? "ol" : "ul";
  return { html: `<${tag}${start === 1 ? "" : ` start="${start}"`}>${items.join("")}</${tag}>`, next };
};

/** Deeper than the mark, or blank with something deeper behind it. */
function belongsToItem(lines: readonly string[], at: number, indent: number): boolean {
  const line = lines[at] as string;
  if (line.trim() !== "") return line.length - line.trimStart().length > indent;
  const after = lines[at + 1];
  return after !== undefined && after.trim() !== "" && after.length - after.trimStart().length > indent;
}

const cellsOf = (line: string) =>
  line
    .trim()
    .replace(/^\||(?<!\\)\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));

const table: BlockForm = (lines, at) => {
  const head = lines[at] ?? "";
  const under = lines[at + 1] ?? "";
  if (!head.includes("|") || !/^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/.test(under) || !under.includes("-"))
    return undefined;
  const titles = cellsOf(head);
  if (cellsOf(under).length !== titles.length) return undefined;
  let next = at + 2;
  while (next < lines.length && (lines[next] as string).includes("|") && lines[next]?.trim() !== "") next++;
  const row = (cells: readonly string[], tag: "th" | "td") =>
    `<tr>${titles.map((_, column) => `<${tag}>${inlineHtml(cells[column] ?? "")}</${tag}>`).join("")}</tr>`;
  const body = lines.slice(at + 2, next).map((line) => row(cellsOf(line), "td"));
  const html = `<div class="scroll"><table><thead>${row(titles, "th")}</thead><tbody>${body.join("")}</tbody></table></div>`;
  return { html, next };
};

const forms: readonly BlockForm[] = [fence, heading, rule, quote, list, table];

/** How lines begin that end a paragraph. */
const blockStart = /^\s*$|^ {0,12}(?:`{3,}|~{3,})|^ {0,3}(?:#{1,6}\s|>)|^\s*(?:[-*+]|\d{1,9}[.)])\s+\S/;

function paragraph(lines: readonly string[], at: number): Block {
  let next = at + 1;
  while (next < lines.length && !blockStart.test(lines[next] as string) && !table(lines, next, 0)) next++;
  const html = lines
    .slice(at, next)
    .map((line) => inlineHtml(line.trim()))
    .join("<br>");
  return { html: `<p>${html}</p>`, next };
}

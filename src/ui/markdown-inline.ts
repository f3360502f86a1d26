import { escapeHtml } from "./escape-html.ts";

/** Code, links, addresses, bold, italic, struck out: in this order at every place. What is repeated is bounded, so that it stays linear. */
const inlineForm = new RegExp(
  [
    "(?<ticks>`{1,4})(?<code>[^`][^\\n]{0,1000}?)\\k<ticks>(?!`)",
    "\\[(?<label>[^\\[\\]\\n]{1,400})\\]\\((?<target>https?://[^\\s()<>]{1,1000})\\)",
    "(?<address>https?://[^\\s<>\"'`)\\]}]{1,1000})",
    "\\*\\*(?=\\S)(?<bold>[^\\n]{1,1000}?\\S|\\S)\\*\\*(?!\\*)",
    "(?<![\\w*])\\*(?=[^\\s*])(?<starred>[^*\\n]{1,1000}?)(?<=\\S)\\*(?![\\w*])",
    "(?<![\\w_])_(?=[^\\s_])(?<underlined>[^_\\n]{1,1000}?)(?<=\\S)_(?![\\w_])",
    "~~(?=\\S)(?<struck>[^~\\n]{1,1000}?)~~",
  ].join("|"),
  "g",
);
const deepest = 3;

export function inlineHtml(text: string, depth = 0): string {
  if (depth >= deepest) return escapeHtml(text);
  let html = "";
  let at = 0;
  for (const found of text.matchAll(inlineForm)) {
    html += escapeHtml(text.slice(at, found.index)) + formHtml(found.groups ?? {}, depth);
    at = found.index + found[0].length;
  }
  return html + escapeHtml(text.slice(at));
}

function formHtml(groups: Readonly<Record<string, string | undefined>>, depth: number): string {
  const { code, label, target, address, bold, starred, underlined, struck } = groups;
  if (code !== undefined) return `<code>${escapeHtml(code.trim())}</code>`;
  if (target !== undefined) return link(target, escapeHtml(label ?? ""));
  if (address !== undefined) {
    const whole = address.replace(/[.,;:!?]+$/, "");
    return link(whole, escapeHtml(whole)) + escapeHtml(address.slice(whole.length));
  }
  if (bold !== undefined) return `<strong>${inlineHtml(bold, depth + 1)}</strong>`;
  if (struck !== undefined) return `<del>${inlineHtml(struck, depth + 1)}</del>`;
  return `<em>${inlineHtml(starred ?? underlined ?? "", depth + 1)}</em>`;
}

/** Nothing is fetched before somebody clicks, and then nobody is told where they come from. */
function link(target: string, html: string): string {
  return `<a href="${escapeHtml(target)}" rel="noreferrer noopener">${html}</a>`;
}

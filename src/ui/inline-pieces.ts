/** What a line of Markdown is made of. Forms inside others are looked for in their `text` by whoever shows them. */
export type InlinePiece =
  | { readonly type: "text" | "code" | "bold" | "emphasis" | "struck"; readonly text: string }
  | { readonly type: "link"; readonly text: string; readonly target: string };

/** Escaped, code, links, addresses, bold, italic, struck out: in this order at every place. What is repeated is bounded, so that it stays linear. */
const inlineForm = new RegExp(
  [
    "\\\\(?<escaped>[!-/:-@[-`{-~])",
    "(?<ticks>`{1,4})(?<code>[^`][^\\n]{0,400}?)\\k<ticks>(?!`)",
    "!?\\[(?<label>[^\\[\\]\\n]{1,200})\\]\\((?<target>https?://[^\\s()<>]{1,500})\\)",
    "(?<address>https?://[^\\s<>\"'`)\\]}]{1,1000})",
    "\\*\\*(?=\\S)(?<bold>[^\\n]{1,400}?\\S|\\S)\\*\\*(?!\\*)",
    "(?<![\\w*])\\*(?=[^\\s*])(?<starred>[^*\\n]{1,400}?)(?<=\\S)\\*(?![\\w*])",
    "(?<![\\w_])_(?=[^\\s_])(?<underlined>[^_\\n]{1,400}?)(?<=\\S)_(?![\\w_])",
    "~~(?=\\S)(?<struck>[^~\\n]{1,400}?)~~",
  ].join("|"),
  "g",
);

/** How far behind its beginning a form may end. */
const reach = 750;

/** The pieces of one line, or of the part of it between two places that no form crosses. */
export function inlinePieces(text: string, from = 0, to = text.length): InlinePiece[] {
  const pieces: InlinePiece[] = [];
  let at = from;
  const addText = (until: number) => {
    if (until > at) pieces.push({ type: "text", text: text.slice(at, until) });
  };
  for (const found of formsFrom(text, from)) {
    if (found.index >= to) break;
    addText(found.index);
    at = found.index + found[0].length;
    pieces.push(...piecesOf(found.groups ?? {}));
  }
  addText(to);
  return pieces;
}

const anyForm = /[\\`*_~[]|http/;

function* formsFrom(text: string, from: number): Generator<RegExpExecArray> {
  if (!anyForm.test(text)) return;
  for (let at = from; ; ) {
    // set anew each time: between two of them another text may have been looked through
    inlineForm.lastIndex = at;
    const found = inlineForm.exec(text);
    if (found === null) return;
    at = found.index + found[0].length;
    yield found;
  }
}

function piecesOf(groups: Readonly<Record<string, string | undefined>>): InlinePiece[] {
  const { escaped, code, label, target, address, bold, starred, underlined, struck } = groups;
  if (escaped !== undefined) return [{ type: "text", text: escaped }];
  if (code !== undefined) return [{ type: "code", text: code.trim() || code }];
  if (target !== undefined) return [{ type: "link", text: label ?? "", target }];
  if (address !== undefined) {
    const target = address.replace(/[.,;:!?*_~]+$/, "");
    const rest = address.slice(target.length);
    return [{ type: "link", text: target, target }, ...(rest === "" ? [] : [{ type: "text" as const, text: rest }])];
  }
  if (bold !== undefined) return [{ type: "bold", text: bold }];
  if (struck !== undefined) return [{ type: "struck", text: struck }];
  return [{ type: "emphasis", text: starred ?? underlined ?? "" }];
}

/**
 * How far from `from` a line that still grows is decided: whatever comes behind it, the pieces before this place stay as they are.
 */
export function decidedUntil(text: string, from: number): number {
  let at = from;
  let limit = text.length;
  for (const found of formsFrom(text, from)) {
    const open = openingIn(text, at, found.index);
    const end = found.index + found[0].length;
    if (open !== undefined || end === text.length) {
      limit = open ?? found.index;
      break;
    }
    at = end;
  }
  if (limit === text.length) limit = openingIn(text, at, text.length) ?? limit;
  return lastBreak(text, at, limit);
}

const opening = /\\$|[`[]|~(?:$|~(?:$|\S))|\*(?:$|[^\s])|(?<![\w_])_(?:$|[^\s_])|h(?:t(?:t(?:ps?(?::\/{0,2})?)?)?)?$/g;

function openingIn(text: string, from: number, to: number): number | undefined {
  opening.lastIndex = Math.max(from, text.length - reach);
  const found = opening.exec(text);
  return found !== null && found.index < to ? found.index : undefined;
}

/** The last place up to `limit` where something begins that is never drawn as one with what stands before it. */
function lastBreak(text: string, from: number, limit: number): number {
  for (let at = limit; at > from; at--) {
    const code = text.charCodeAt(at);
    if ((code >= 0x20 && code < 0x7f) || (code >= 0x3041 && code <= 0x9fff)) return at;
  }
  return from;
}

const maximumLength = 50_000;
const maximumUnquoted = 8_000;
const maximumTangle = 300_000;
const openers = /[({`"'[]|<<|\b(?:function|coproc)\b/g;

const definitions = /\(\s*\)|\bfunction\b|\{(?=\{)/g;

/**
 * Would parsing take too long? It takes time in proportion to the length times the number of things that open something;
 * a document that is passed on as it stands, such as the text of a file, costs nothing.
 */
export function isTangled(text: string): boolean {
  if (text.length > maximumLength) return true;
  if (text.length * text.length <= maximumTangle) return false;
  const parsed = withoutQuotedDocuments(text);
  const opened = parsed.match(openers)?.length ?? 0;
  // A function in a function in a function costs most, and braces that are never closed.
  const functions = parsed.match(definitions)?.length ?? 0;
  return parsed.length > maximumUnquoted || parsed.length * (opened + 4 * functions) > maximumTangle;
}

/** Only an estimate: text in quotes may look like a document. What is judged is always the whole. */
function withoutQuotedDocuments(text: string): string {
  const opening = /<<-?[ \t]*(['"])(\w+)\1/g;
  let kept = "";
  let from = 0;
  for (let found = opening.exec(text); found !== null; found = opening.exec(text)) {
    const body = text.indexOf("\n", opening.lastIndex);
    const closing = new RegExp(`^[\\t ]*${found[2]}$`, "gm");
    closing.lastIndex = body + 1;
    if (body < 0 || !closing.test(text)) break;
    kept += text.slice(from, body);
    from = closing.lastIndex;
    opening.lastIndex = from;
  }
  return kept + text.slice(from);
}

const maximumWords = 64;
const maximumBraces = 32;
const plain = /^[\w.,/@%+:=~{}-]*$/;

/** The words `{a,b}` or `{1..3}` stands for; undefined when it holds quotes or expansions, or makes too many words. */
export function expandBraces(text: string): readonly string[] | undefined {
  if (text.length > 1000 || !plain.test(text) || (text.match(/\{/g)?.length ?? 0) > maximumBraces) return undefined;
  const words = alternatives(text);
  return words.length > maximumWords ? undefined : words;
}

function alternatives(text: string): string[] {
  const open = text.indexOf("{");
  const close = open < 0 ? -1 : closingBrace(text, open);
  if (close < 0) return [text];
  const inner = text.slice(open + 1, close);
  const choices = sequence(inner) ?? splitChoices(inner);
  const rests = alternatives(text.slice(close + 1));
  const head = text.slice(0, open);
  const words: string[] = [];
  for (const choice of choices.length > 1 ? choices.flatMap(alternatives) : [`{${inner}}`]) {
    for (const rest of rests) words.push(head + choice + rest);
    if (words.length > maximumWords) break;
  }
  return words;
}

function closingBrace(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    if (text[at] === "{") depth++;
    else if (text[at] === "}" && --depth === 0) return at;
  }
  return -1;
}

function splitChoices(inner: string): string[] {
  const choices: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at <= inner.length; at++) {
    if (inner[at] === "{") depth++;
    else if (inner[at] === "}") depth--;
    else if (at === inner.length || (inner[at] === "," && depth === 0)) {
      choices.push(inner.slice(start, at));
      start = at + 1;
    }
  }
  return choices;
}

function sequence(inner: string): string[] | undefined {
  const ends = /^(-?\d{1,6})\.\.(-?\d{1,6})$/.exec(inner);
  if (!ends) return undefined;
  const [from, to] = [Number(ends[1]), Number(ends[2])];
  const count = Math.min(Math.abs(to - from), maximumWords) + 1;
  return Array.from({ length: count }, (_, step) => String(from + (to < from ? -step : step)));
}

/** Mistakes made while writing the argument, not while reading the file. */
export type Slip = "line-number-prefix" | "escaped-newline" | "html-entities";

/** What was probably meant, and the mistake that explains it. */
export type Meant = { readonly text: string; readonly slip: Slip; readonly because: string };

const prefix = /^[ \t]*\d+(?:\t|→|[|:] ?|- |\) |\. )/;
const entities: Readonly<Record<string, string>> = {
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&apos;": "'",
  "&#39;": "'",
  "&nbsp;": " ",
  "&amp;": "&",
};

/** Readings of `old` in which one mistake is undone; only those that differ from it. */
export function meantTexts(old: string): Meant[] {
  const candidates: Meant[] = [
    {
      text: withoutLineNumbers(old),
      slip: "line-number-prefix",
      because: "old_string carries line numbers copied from read_file or grep; leave them out, also in new_string",
    },
    {
      text: withRealCharacters(old),
      slip: "escaped-newline",
      because:
        "old_string has escapes written out (backslash and n, t or a quote) where the file has the real characters; send real line breaks",
    },
    {
      text: old.replace(/&(?:lt|gt|quot|apos|#39|nbsp|amp);/g, (entity) => entities[entity] ?? entity),
      slip: "html-entities",
      because: "old_string has HTML entities (such as &lt;) where the file has the characters themselves",
    },
    {
      text: old.replaceAll("\n", "\\n"),
      slip: "escaped-newline",
      because:
        "the file has the two characters backslash and n there, an escaped newline, where old_string has a real line break",
    },
    {
      text: encodeEntities(old),
      slip: "html-entities",
      because: "the file has HTML entities (such as &lt;) where old_string has the characters themselves",
    },
    {
      text: encodeEntities(old).replaceAll('"', "&quot;"),
      slip: "html-entities",
      because: "the file has HTML entities (such as &quot;) where old_string has the characters themselves",
    },
  ];
  return candidates.filter(({ text }) => text !== old && text.trim() !== "");
}

/** Every line that is not blank must have one, but for the first: a model may start in the middle of a line. */
function withoutLineNumbers(old: string): string {
  const lines = old.split("\n");
  const numbered = lines.map(
    (line, index) => line.trim() === "" || prefix.test(line) || (index === 0 && lines.length > 1),
  );
  return numbered.every(Boolean) ? lines.map((line) => line.replace(prefix, "")).join("\n") : old;
}

function withRealCharacters(old: string): string {
  const real: Record<string, string> = { n: "\n", t: "\t", r: "" };
  return old.replace(/\\([ntr"'`\\])/g, (_, letter: string) => real[letter] ?? letter);
}

function encodeEntities(old: string): string {
  return old.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

import { invisibleIn, nameOfCharacter } from "../files/invisible-characters.ts";
import { type Difference, skeletonOf } from "./text-skeleton.ts";

/** In words: how the text of the file differs from what was wanted, in one respect. */
export function nameDifference(kind: Difference, actual: string, wanted: string): string {
  if (kind === "whitespace") return whitespaceDifference(actual, wanted);
  if (kind === "case") return "upper and lower case differ";
  const pairs = differingCharacters(kind, actual, wanted);
  const unseen = onlyIn(actual, wanted).map((name) => `the file has ${name}, invisible, which old_string has not`);
  const extra = onlyIn(wanted, actual).map((name) => `old_string has ${name}, invisible, which the file has not`);
  const found = [
    ...pairs.map(([file, old]) => `the file has ${quote(file)} where old_string has ${quote(old)}`),
    ...unseen,
    ...extra,
  ];
  const meaning =
    kind === "unicode-normalization" ? " (Unicode look-alikes or another Unicode normalization form)" : "";
  return `${found.slice(0, 3).join("; ") || "the characters differ"}${meaning}`;
}

function quote(character: string): string {
  const code = (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0");
  return `${character} (U+${code})`;
}

/** Characters that stand in the same place of both texts and differ in this respect. */
function differingCharacters(kind: Difference, actual: string, wanted: string): [string, string][] {
  const [a, b] = [skeletonOf(actual), skeletonOf(wanted)];
  const found = new Map<string, [string, string]>();
  for (let index = 0; index < a.text.length; index++) {
    const file = String.fromCodePoint(actual.codePointAt(a.at[index] as number) as number);
    const old = String.fromCodePoint(wanted.codePointAt(b.at[index] as number) as number);
    if (file !== old && skeletonOf(file, kind).text !== skeletonOf(old, kind).text) found.set(file + old, [file, old]);
  }
  return [...found.values()];
}

function onlyIn(text: string, other: string): string[] {
  const known = invisibleIn(other);
  return [...invisibleIn(text)].filter((codePoint) => !known.has(codePoint)).map(nameOfCharacter);
}

function whitespaceDifference(actual: string, wanted: string): string {
  const found: string[] = [];
  const special = onlyIn(actual, wanted);
  if (special.length > 0) found.push(`the file has ${special.join(", ")}, a Unicode look-alike of plain whitespace`);
  const foreign = onlyIn(wanted, actual);
  if (foreign.length > 0) found.push(`old_string has ${foreign.join(", ")}, a Unicode look-alike of plain whitespace`);
  if (actual.includes("\t") !== wanted.includes("\t")) {
    found.push(
      actual.includes("\t")
        ? "the file has tabs where old_string has spaces"
        : "old_string has tabs where the file has spaces",
    );
  }
  const trails = (text: string) => /[ \t]+(\n|$)/.test(text);
  if (trails(actual) !== trails(wanted))
    found.push(`${trails(actual) ? "the file" : "old_string"} has spaces at the end of a line`);
  if (actual.trim().split("\n").length !== wanted.trim().split("\n").length)
    found.push("line breaks or blank lines differ");
  return found.join("; ") || "the indentation or the number of spaces differs";
}

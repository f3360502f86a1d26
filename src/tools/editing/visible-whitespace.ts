import { invisiblePattern } from "../files/invisible-characters.ts";

export const whitespaceLegend = "→ is a tab, · a space";

/** Tabs and the spaces that are easily miscounted, made visible. */
export function visibleWhitespace(line: string): string {
  const dots = (spaces: string) => "·".repeat(spaces.length);
  return line.replace(/^[ \t]+|[ \t]+$| {2,}/g, (run) => run.replace(/ +/g, dots)).replaceAll("\t", "→");
}

/** Characters nobody can see, by their number: `<U+200B>`. */
export function visibleCharacters(line: string): string {
  return line.replace(
    invisiblePattern,
    (character) => `<U+${(character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0")}>`,
  );
}

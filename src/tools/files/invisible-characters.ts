const names: Readonly<Record<number, string>> = {
  0: "NUL",
  11: "vertical tab",
  12: "form feed",
  13: "carriage return",
  27: "escape",
  133: "next line",
  160: "no-break space",
  173: "soft hyphen",
  6158: "Mongolian vowel separator",
  8203: "zero-width space",
  8204: "zero-width non-joiner",
  8205: "zero-width joiner",
  8206: "left-to-right mark",
  8207: "right-to-left mark",
  8232: "line separator",
  8233: "paragraph separator",
  8239: "narrow no-break space",
  8288: "word joiner",
  12288: "ideographic space",
  65279: "zero-width no-break space",
  65533: "replacement character",
};

export const invisiblePattern =
  /[\0-\x08\x0b-\x1f\x7f-\xa0\xad\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u2064\u2066-\u206f\u3000\ufeff\ufffd\u{e0000}-\u{e007f}]/gu;

/** `U+00A0 no-break space` */
export function nameOfCharacter(codePoint: number): string {
  const code = `U+${codePoint.toString(16).toUpperCase().padStart(4, "0")}`;
  return `${code} ${names[codePoint] ?? kindOfCharacter(codePoint)}`.trimEnd();
}

function kindOfCharacter(codePoint: number): string {
  if (codePoint < 0x20 || (codePoint >= 0x7f && codePoint < 0xa0)) return "control character";
  if (codePoint >= 0x2000 && codePoint <= 0x200a) return "wide or thin space";
  if ((codePoint >= 0x202a && codePoint <= 0x202e) || (codePoint >= 0x2066 && codePoint <= 0x2069))
    return "text direction control";
  return "";
}

/** Characters of a line that a reader takes for something else or does not see; tabs and plain spaces are not among them. */
export function invisibleIn(line: string): Set<number> {
  const found = new Set<number>();
  for (const match of line.matchAll(invisiblePattern)) {
    const codePoint = match[0].codePointAt(0) as number;
    if (!joinsForeignLetters(line, match.index, codePoint)) found.add(codePoint);
  }
  return found;
}

/** Joiners inside emoji and in scripts that need them are ordinary spelling. */
function joinsForeignLetters(line: string, at: number, codePoint: number): boolean {
  if (codePoint !== 0x200c && codePoint !== 0x200d) return false;
  return line.charCodeAt(at - 1) > 0x7f && line.charCodeAt(at + 1) > 0x7f;
}

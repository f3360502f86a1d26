const names: Readonly<Record<number, string>> = {
  0x00: "NUL",
  0x0b: "vertical tab",
  0x0c: "form feed",
  0x0d: "carriage return",
  0x1b: "escape",
  0x85: "next line",
  0xa0: "no-break space",
  0xad: "soft hyphen",
  0x180e: "Mongolian vowel separator",
  0x200b: "zero-width space",
  0x200c: "zero-width non-joiner",
  0x200d: "zero-width joiner",
  0x200e: "left-to-right mark",
  0x200f: "right-to-left mark",
  0x2028: "line separator",
  0x2029: "paragraph separator",
  0x202f: "narrow no-break space",
  0x2060: "word joiner",
  0x3000: "ideographic space",
  0xfeff: "zero-width no-break space",
  0xfffd: "replacement character",
};

const invisible =
  /[\0-\x08\x0b-\x1f\x7f-\xa0\xad\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u2064\u2066-\u206f\u3000\ufeff\ufffd\u{e0000}-\u{e007f}]/gu;

/** `U+00A0 no-break space` */
export function nameOfCharacter(codePoint: number): string {
  const code = `U+${codePoint.toString(16).toUpperCase().padStart(4, "0")}`;
  return `${code} ${names[codePoint] ?? kindOfCharacter(codePoint)}`.trimEnd();
}

function kindOfCharacter(codePoint: number): string {
  if (codePoint < 0x20 || (codePoint >= 0x7f && codePoint < 0xa0)) return "control character";
  if (codePoint >= 0x2000 && codePoint <= 0x200a) return "wide or thin space";
  if ((codePoint >= 0x202a && codePoint <= 0x202e) || (codePoint >= 0x2066 && codePoint <= 0x2069)) return "text direction control";
  return "";
}

/** Characters of a line that a reader takes for something else or does not see; tabs and plain spaces are not among them. */
export function invisibleIn(line: string): Set<number> {
  const found = new Set<number>();
  for (const match of line.matchAll(invisible)) {
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

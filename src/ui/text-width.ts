/** Columns of a terminal. Control and format characters are expected to be written out by now (`visibleText`). */

const wide =
  /[\u1100-\u115f\u2329\u232a\u2630-\u2637\u268a-\u268f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6b\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{1d300}-\u{1d376}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u;
/** Marks that take no room; those that take some are letters here. */
const without = /\p{Mn}|\p{Me}|\ufe0e|\u200d/u;
const withRoom = /[\u065f\u1033-\u1035\u103a\u103d\u103e]/u;
const pictograph = /\p{Extended_Pictographic}/u;

const joiner = 0x200d;
const emojiSelector = 0xfe0f;

type Kind = "none" | "one" | "two";
const kinds = new Map<number, Kind>();

function kindOf(code: number): Kind {
  const known = kinds.get(code);
  if (known) return known;
  const character = String.fromCodePoint(code);
  const kind = without.test(character) && !withRoom.test(character) ? "none" : wide.test(character) ? "two" : "one";
  if (kinds.size > 20_000) kinds.clear();
  kinds.set(code, kind);
  return kind;
}

const isFlagLetter = (code: number) => code >= 0x1f1e6 && code <= 0x1f1ff;
const isSkinTone = (code: number) => code >= 0x1f3fb && code <= 0x1f3ff;
/** A Korean syllable written as parts: consonant, vowels, consonants. */
function joinsSyllable(code: number, previous: number): boolean {
  if (code >= 0x1160 && code <= 0x11a7) return previous >= 0x1100 && previous <= 0x11a7;
  return code >= 0x11a8 && code <= 0x11ff && previous >= 0x1160 && previous <= 0x11ff;
}

export type Cluster = { readonly text: string; readonly width: number };

/** What is drawn as one: a character with its marks, a flag, a composed emoji. A cluster is never parted. */
export function clustersOf(text: string): Cluster[] {
  const clusters: { text: string; width: number }[] = [];
  let last: { text: string; width: number } | undefined;
  let previous = 0;
  let isHalfFlag = false;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const joined =
      last !== undefined ? joinedWidth(code, { previous, isHalfFlag, width: last.width, last: last.text }) : undefined;
    if (last !== undefined && joined !== undefined) {
      last.text += character;
      last.width = joined;
      isHalfFlag = false;
    } else {
      const kind = code < 0x300 ? "one" : kindOf(code);
      last = { text: character, width: kind === "two" ? 2 : kind === "one" ? 1 : code === emojiSelector ? 1 : 0 };
      clusters.push(last);
      isHalfFlag = isFlagLetter(code);
    }
    previous = code;
  }
  return clusters;
}

type Before = {
  readonly previous: number;
  readonly isHalfFlag: boolean;
  readonly width: number;
  readonly last: string;
};

/** The width of the cluster with this character in it; undefined when it begins one of its own. */
function joinedWidth(code: number, { previous, isHalfFlag, width, last }: Before): number | undefined {
  if (code < 0x300) return undefined;
  if (code === emojiSelector) return Math.max(width, 2);
  if (isFlagLetter(code)) return isHalfFlag ? width : undefined;
  if (isSkinTone(code)) return pictograph.test(last) ? 2 : undefined;
  if (previous === joiner) return pictograph.test(String.fromCodePoint(code)) ? Math.max(width, 2) : undefined;
  if (joinsSyllable(code, previous)) return width;
  return kindOf(code) === "none" ? width : undefined;
}

const plain = /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2190-\u21ff\u2500-\u259f]*$/;

/** How many columns of a terminal a line takes. */
export function textWidth(text: string): number {
  if (plain.test(text)) return text.length;
  let width = 0;
  for (const cluster of clustersOf(text)) width += cluster.width;
  return width;
}

/** As much of a line as fits, with `…` where it was cut. */
export function cutToWidth(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let cut = "";
  let used = 0;
  for (const cluster of clustersOf(text)) {
    used += cluster.width;
    if (used > width - 1) break;
    cut += cluster.text;
  }
  return width > 0 ? `${cut}…` : "";
}

/** Both ends of a line that is too long, with `…` between them: the end of a command matters as much as its beginning. */
export function cutInMiddle(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  const tailWidth = Math.max(0, Math.min(24, Math.floor(width / 3)));
  const clusters = clustersOf(text);
  let from = clusters.length;
  for (let used = 0; from > 0; from--) {
    used += clusters[from - 1]?.width ?? 0;
    if (used > tailWidth) break;
  }
  const tail = clusters
    .slice(from)
    .map((cluster) => cluster.text)
    .join("")
    .trimStart();
  const head = cutToWidth(text, width - textWidth(tail));
  return `${head}${tail}`;
}

export function padToWidth(text: string, width: number, align: "left" | "right"): string {
  const room = " ".repeat(Math.max(0, width - textWidth(text)));
  return align === "left" ? text + room : room + text;
}

/** Longer words are known by their beginning; what a search finds is compared with the text itself anyway. */
const longestWord = 32;

const other = 9;
const lower = 1;
const upper = 2;
const digit = 3;
/** Scripts without blanks between words: every character counts as one. */
const alone = 4;

const aloneCharacter =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;
const wordCharacter = /[\p{L}\p{N}\p{M}]/u;

/** Kind of each UTF-16 unit; 0 until somebody asks. */
const kinds = new Uint8Array(65_536);

function kindOf(code: number): number {
  const known = kinds[code] as number;
  return known > 0 ? known : (kinds[code] = classify(String.fromCharCode(code)));
}

function classify(character: string): number {
  if (/[a-z]/.test(character)) return lower;
  if (/[A-Z]/.test(character)) return upper;
  if (/[0-9]/.test(character)) return digit;
  if (aloneCharacter.test(character)) return alone;
  return wordCharacter.test(character) ? lower : other;
}

/** "piece": a part of the whole word that comes after its pieces. */
type TakeWord = (word: string, kind: "whole" | "piece") => void;

/** The words of a text in lower case. Of `readLogFile` the pieces `read`, `log` and `file` count as well. Linear in the length. */
export function forEachWord(given: string, take: TakeWord): void {
  const folded = given.toLowerCase();
  // some capitals grow when they are folded: then places no longer fit, and pieces are given up
  const text = folded.length === given.length ? given : folded;
  const end = text.length;
  let at = 0;
  while (at < end) {
    const kind = kindOf(text.charCodeAt(at));
    if (kind === other) at++;
    else if (kind === alone) take(folded[at++] as string, "whole");
    else at = takeWord(at);
  }

  function takeWord(start: number): number {
    let piece = start;
    let before = kindOf(text.charCodeAt(start));
    let now = start + 1;
    for (; now < end; now++) {
      const kind = kindOf(text.charCodeAt(now));
      if (kind >= alone) break;
      if (kind === upper && before !== upper) piece = endPiece(piece, now);
      else if (kind === lower && before === upper && now - 1 > piece) piece = endPiece(piece, now - 1);
      before = kind;
    }
    if (piece > start) endPiece(piece, now);
    take(folded.slice(start, Math.min(now, start + longestWord)), "whole");
    return now;
  }

  function endPiece(piece: number, next: number): number {
    if (next - piece > 1) take(folded.slice(piece, Math.min(next, piece + longestWord)), "piece");
    return next;
  }
}

/** May a word begin at this place of a text? The counterpart of how words are found. */
export function isWordStart(text: string, at: number): boolean {
  const kind = kindOf(text.charCodeAt(at));
  if (at === 0 || kind === other || kind === alone) return true;
  const before = kindOf(text.charCodeAt(at - 1));
  if (before === other || before === alone) return true;
  if (kind !== upper) return false;
  return before !== upper || kindOf(text.charCodeAt(at + 1)) === lower;
}

/** May a word end before this place? */
export function isWordEnd(text: string, at: number): boolean {
  return at >= text.length || isWordStart(text, at);
}

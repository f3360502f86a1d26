/** Ways in which two texts can look the same and differ. */
export type Difference = "whitespace" | "quotes" | "punctuation" | "unicode-normalization" | "case";

export const differences: readonly Difference[] = [
  "whitespace",
  "quotes",
  "punctuation",
  "unicode-normalization",
  "case",
];

/** `at[i]` is the position in the original of character i of `text`, `at[text.length]` the end of the last. */
export type Skeleton = { readonly text: string; readonly at: Int32Array };

const quotes = /^["'`´\u2018-\u201f\u2032-\u2036\u2039\u203a\u00ab\u00bb\u02b9-\u02bc\uff02\uff07]$/;
const dashes = /^[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]$/;
const blanks = /^[\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]$/;
const unseen = /^(?:[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]|[\ufe00-\ufe0f])$/;

/** Cyrillic and Greek letters, each with the Latin one it looks like. */
const lookAlikes = new Map(
  "аa еe оo рp сc хx уy іi јj ѕs ԁd һh АA ВB ЕE КK МM НH ОO РP СC ТT ХX ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX οo νv"
    .split(" ")
    .map((pair) => [pair[0] as string, pair[1] as string] as const),
);

/**
 * What is left of a text when everything that may differ without being seen is evened out or left out.
 * Differences of the kind `except` are kept, so that two texts can be asked about it.
 */
export function skeletonOf(text: string, except?: Difference): Skeleton {
  const parts: string[] = [];
  const positions: number[] = [];
  for (let index = 0; index < text.length; ) {
    const code = text.charCodeAt(index);
    const character = code < 0x80 ? (text[index] as string) : String.fromCodePoint(text.codePointAt(index) as number);
    const bare = code < 0x80 ? bareAscii(character, code, except) : bareCharacter(character, except);
    for (let count = 0; count < bare.length; count++) positions.push(index);
    if (bare !== "") parts.push(bare);
    index += character.length;
  }
  positions.push(text.length);
  return { text: parts.join(""), at: Int32Array.from(positions) };
}

function bareAscii(character: string, code: number, except: Difference | undefined): string {
  if (code === 32 || (code >= 9 && code <= 13)) return except === "whitespace" ? character : "";
  if (code === 34 || code === 39 || code === 96) return except === "quotes" ? character : "'";
  return code >= 65 && code <= 90 && except !== "case" ? character.toLowerCase() : character;
}

function bareCharacter(character: string, except: Difference | undefined): string {
  if (blanks.test(character)) return except === "whitespace" ? character : "";
  if (unseen.test(character)) return except === "unicode-normalization" ? character : "";
  if (quotes.test(character)) return except === "quotes" ? character : "'";
  if (dashes.test(character)) return except === "punctuation" ? character : "-";
  const plain = (lookAlikes.get(character) ?? character).normalize("NFKD");
  const isPunctuation = /^[!-/:-@[-`{-~]+$/.test(plain);
  if (except === (isPunctuation ? "punctuation" : "unicode-normalization"))
    return except === "punctuation" ? character : character.toLowerCase();
  return except === "case" ? plain : plain.toLowerCase();
}

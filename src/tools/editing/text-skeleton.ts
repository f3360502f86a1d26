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
  let codes = new Uint16Array(text.length + 1);
  let at = new Int32Array(text.length + 1);
  let length = 0;
  const add = (code: number, position: number) => {
    if (length + 1 === codes.length) {
      codes = grown(codes, new Uint16Array(length * 2 + 16));
      at = grown(at, new Int32Array(length * 2 + 16));
    }
    codes[length] = code;
    at[length++] = position;
  };
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 0x80) {
      const bare = bareAscii(code, except);
      if (bare > 0) add(bare, index);
      continue;
    }
    const character = String.fromCodePoint(text.codePointAt(index) as number);
    const bare = bareCharacter(character, except);
    for (let offset = 0; offset < bare.length; offset++) add(bare.charCodeAt(offset), index);
    index += character.length - 1;
  }
  at[length] = text.length;
  return { text: Buffer.from(codes.buffer, 0, length * 2).toString("utf16le"), at };
}

function grown<A extends Uint16Array | Int32Array>(old: A, larger: A): A {
  larger.set(old);
  return larger;
}

/** 0 when nothing is left of it. */
function bareAscii(code: number, except: Difference | undefined): number {
  if (code === 32 || (code >= 9 && code <= 13)) return except === "whitespace" ? code : 0;
  if (code === 34 || code === 39 || code === 96) return except === "quotes" ? code : 39;
  return code >= 65 && code <= 90 && except !== "case" ? code + 32 : code;
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

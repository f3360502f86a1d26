const longestWord = 40;

/**
 * Tokens of a text without a tokenizer, by kinds of characters: a word of letters is a token per four or five, digits and punctuation come
 * two or three to a token, most other scripts take one or more each. Good to about a tenth; what the vendor reports corrects the rest.
 */
export function estimateTokens(text: string): number {
  let letters = 0;
  let words = 0;
  let digits = 0;
  let marks = 0;
  let spaces = 0;
  let lines = 0;
  let wide = 0;
  let blob = 0;
  let inWord = false;
  let run = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const isLetter = (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
    const isDigit = code >= 48 && code <= 57;
    // nothing a person wrote has no end: beyond this it is encoded data, which no tokenizer knows
    run = isLetter || isDigit || code === 43 || code === 47 || code === 61 ? run + 1 : 0;
    if (run > longestWord) blob++;
    else if (isLetter) {
      letters++;
      if (!inWord) words++;
    } else if (isDigit) digits++;
    else if (code === 10) lines++;
    else if (code === 32 || code === 9 || code === 13) spaces++;
    else if (code < 128) marks++;
    else wide++;
    inWord = isLetter;
  }
  return Math.ceil(
    words * 0.6 +
      letters * 0.11 +
      digits * 0.4 +
      marks * 0.55 +
      spaces * 0.06 +
      lines * 0.55 +
      wide * 0.75 +
      blob * 0.72,
  );
}

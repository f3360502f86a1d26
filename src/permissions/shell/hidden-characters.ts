const plain = /^[\t\n -~]*$/;

/**
 * Control characters (also a lone carriage return), line separators, blanks that only look like one, and what has no width
 * or turns the text around: a person could not see what such a command does, and shells disagree on some of them.
 */
const hidden = /(?![\t\n ])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Zs}\u115f\u1160\u17b4\u17b5\u3164\uffa0]|\u034f/u;

export function hidesCharacters(text: string): boolean {
  return !plain.test(text) && hidden.test(text);
}

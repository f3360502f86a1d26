const plain = /^[\t\n -~]*$/;

/**
 * Control characters (also a lone carriage return), line separators, blanks that only look like one, and what has no width
 * or turns the text around: a person could not see what such a command does, and shells disagree on some of them.
 */
const hidden = /(?![\t\n ])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Zs}\u115f\u1160\u17b4\u17b5\u3164\uffa0]|\u034f/u;

/** A word or an operator continued on the next line, such as `$\` above `(…)`: parsers disagree on what comes together. */
const splitToken = /[^\s\\](?:\\\\)*\\\n(?=\S)|\\\\\\\n(?=\S)/;

export function hidesCharacters(text: string): boolean {
  return (text.includes("\\\n") && splitToken.test(text)) || (!plain.test(text) && hidden.test(text));
}

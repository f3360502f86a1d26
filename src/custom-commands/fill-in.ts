/**
 * `$ARGUMENTS` stands for everything behind the command, `$1` for its first word; words in quotes are one. `\$` is a dollar sign. A text
 * with no place for them gets the arguments at its end.
 */
export function fillIn(text: string, argument: string): string {
  const words = wordsOf(argument);
  let isPlaced = false;
  const filled = text.replace(/\\\$|\$(?:ARGUMENTS\b|(\d{1,2})(?!\d))/g, (mark, number: string | undefined) => {
    if (mark === "\\$") return "$";
    if (number === "0" || number === "00") return mark;
    isPlaced = true;
    return number === undefined ? argument : (words[Number(number) - 1] ?? "");
  });
  return isPlaced || argument === "" ? filled : `${filled}\n\n${argument}`;
}

function wordsOf(argument: string): string[] {
  return [...argument.matchAll(/"([^"]*)"|'([^']*)'|\S+/g)].map(([word, double, single]) => double ?? single ?? word);
}

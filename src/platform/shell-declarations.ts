/** Reads what bash prints for `declare -px`: `declare -x NAME="value"`, quoted so that bash itself could read it again. */

const declaration =
  /^(?:declare|export) (?:-(\w+) )?([A-Za-z_]\w*)(?:=(?:"([^"\\]*(?:\\[\s\S][^"\\]*)*)"|\$'([^'\\]*(?:\\[\s\S][^'\\]*)*)'))?$/gm;

const namedEscapes: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  e: "\x1b",
  E: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

const ansiEscape = /\\(?:([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|c([\s\S])|([\s\S]))/g;

/** The inside of `$'…'`. Numbered escapes are bytes: outside a UTF-8 locale bash writes every byte of a character that way. */
function decodeAnsi(quoted: string): string {
  const pieces: Buffer[] = [];
  let from = 0;
  for (const match of quoted.matchAll(ansiEscape)) {
    const [whole, octal, hex, short, long, control, other] = match;
    pieces.push(Buffer.from(quoted.slice(from, match.index)));
    from = match.index + whole.length;
    const byte = octal ? Number.parseInt(octal, 8) : hex ? Number.parseInt(hex, 16) : undefined;
    const point = short ?? long;
    if (byte !== undefined) pieces.push(Buffer.from([byte & 0xff]));
    else if (point) pieces.push(Buffer.from(String.fromCodePoint(Number.parseInt(point, 16))));
    else if (control) pieces.push(Buffer.from([control.charCodeAt(0) & 0x1f]));
    else if (other) pieces.push(Buffer.from(namedEscapes[other] ?? other));
  }
  pieces.push(Buffer.from(quoted.slice(from)));
  return Buffer.concat(pieces).toString();
}

/** Variables with a value; arrays are skipped, since an environment cannot hold them. */
export function parseDeclarations(text: string): Map<string, string> {
  const values = new Map<string, string>();
  for (const [, , name, double, ansi] of text.matchAll(declaration)) {
    if (name === undefined) continue;
    if (double !== undefined) values.set(name, double.replace(/\\([$`"\\\n])/g, "$1"));
    else if (ansi !== undefined) values.set(name, decodeAnsi(ansi));
  }
  return values;
}

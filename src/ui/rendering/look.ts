/** How many colours a terminal has. */
export type Colours = "none" | "16" | "256" | "true";

/** A colour is one of the terminal's own sixteen, or red, green and blue. */
export type Colour = number | `#${string}`;

export type Look = {
  readonly colour?: Colour;
  readonly ground?: Colour;
  readonly bold?: true;
  readonly faint?: true;
  readonly italic?: true;
  readonly underlined?: true;
  readonly inverse?: true;
  readonly struck?: true;
};

/** Without colours nothing at all is added. */
export function lookPainter(look: Look, colours: Colours): (text: string) => string {
  if (colours === "none") return (text) => text;
  const begin: string[] = [];
  const end: string[] = [];
  const add = (on: string, off: string) => {
    begin.push(on);
    if (!end.includes(off)) end.push(off);
  };
  if (look.bold) add("1", "22");
  if (look.faint) add("2", "22");
  if (look.italic) add("3", "23");
  if (look.underlined) add("4", "24");
  if (look.inverse) add("7", "27");
  if (look.struck) add("9", "29");
  if (look.colour !== undefined) add(colourCode(look.colour, colours, 30), "39");
  if (look.ground !== undefined) add(colourCode(look.ground, colours, 40), "49");
  if (begin.length === 0) return (text) => text;
  const [on, off] = [`\u001b[${begin.join(";")}m`, `\u001b[${end.join(";")}m`];
  return (text) => (text === "" ? "" : on + text + off);
}

/** `base`: 30 for the text, 40 for what is behind it. */
function colourCode(colour: Colour, colours: Colours, base: number): string {
  if (typeof colour === "number") return String(colour < 8 ? base + colour : base + 60 + colour - 8);
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16)) as [
    number,
    number,
    number,
  ];
  if (colours === "true") return `${base + 8};2;${red};${green};${blue}`;
  return `${base + 8};5;${nearestOf256(red, green, blue)}`;
}

const steps = [0, 95, 135, 175, 215, 255];

/** From the cube of 216 colours or the 24 greys, whichever is nearer. */
function nearestOf256(red: number, green: number, blue: number): number {
  const nearest = (value: number) =>
    steps.reduce((best, step, at) => (Math.abs(step - value) < Math.abs((steps[best] ?? 0) - value) ? at : best), 0);
  const [r, g, b] = [nearest(red), nearest(green), nearest(blue)];
  const grey = Math.min(23, Math.max(0, Math.round(((red + green + blue) / 3 - 8) / 10)));
  const away = (x: number, y: number, z: number) => (x - red) ** 2 + (y - green) ** 2 + (z - blue) ** 2;
  const level = 8 + 10 * grey;
  const cube = away(steps[r] ?? 0, steps[g] ?? 0, steps[b] ?? 0);
  return away(level, level, level) < cube ? 232 + grey : 16 + 36 * r + 6 * g + b;
}

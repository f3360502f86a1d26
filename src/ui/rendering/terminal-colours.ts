import type { Colours } from "./look.ts";
import type { Background } from "./theme.ts";

/** What a terminal says about itself in variables; read from the environment by whoever may. */
export type TerminalFacts = {
  readonly isTerminal: boolean;
  readonly term?: string | undefined;
  readonly colorTerm?: string | undefined;
  readonly colorFgBg?: string | undefined;
  readonly noColor?: string | undefined;
};

/** https://no-color.org: any text in NO_COLOR counts. */
export function coloursOf({ isTerminal, term = "", colorTerm = "", noColor }: TerminalFacts): Colours {
  if (!isTerminal || (noColor !== undefined && noColor !== "") || term === "dumb" || term === "") return "none";
  if (
    /^(?:truecolor|24bit)$/i.test(colorTerm) ||
    /-direct$|^(?:xterm-)?(?:kitty|ghostty)|^wezterm|^alacritty/.test(term)
  )
    return "true";
  return /256(?:color)?/.test(term) ? "256" : "16";
}

/** `15;0`: the text's colour and the ground's, as some terminals tell. */
export function backgroundOf({ colorFgBg = "" }: TerminalFacts): Background | undefined {
  const ground = /;(\d{1,2})$/.exec(colorFgBg)?.[1];
  if (ground === undefined) return undefined;
  const colour = Number(ground);
  return colour === 7 || (colour >= 9 && colour <= 15) ? "light" : "dark";
}

/** Asks a terminal for the colour of its ground. */
export const backgroundQuestion = "\u001b]11;?\u001b\\";

/** The answer to it: `ESC ] 11 ; rgb:1e1e/1e1e/1e1e BEL`, or with `#1e1e1e`. Undefined when this is none. */
export function parseBackground(answer: string): Background | undefined {
  const found =
    /\]11;rgba?:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})/i.exec(answer) ??
    /\]11;#([\da-f]{2})([\da-f]{2})([\da-f]{2})(?![\da-f])/i.exec(answer);
  if (!found) return undefined;
  const [red, green, blue] = found.slice(1).map((digits) => Number.parseInt(digits, 16) / (16 ** digits.length - 1));
  const brightness = 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0);
  return brightness > 0.5 ? "light" : "dark";
}

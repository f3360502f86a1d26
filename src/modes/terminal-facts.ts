import type { Environment } from "../config/load.ts";
import { backgroundOf, coloursOf, type TerminalFacts } from "../ui/rendering/terminal-colours.ts";
import { type Background, chooseTheme, type Theme, type ThemeWish } from "../ui/rendering/theme.ts";
import type { Surface } from "../ui/terminal/painter.ts";
import { type TerminalKind, terminalKind } from "../ui/terminal/signals.ts";

/** A terminal that cannot be drawn on, or a person who wants lines alone. */
export function wantsPlain(environment: Environment, wish: "full" | "plain" | undefined): boolean {
  if (wish !== undefined) return wish === "plain";
  const { TERM } = environment;
  return TERM === "dumb" || ((TERM === undefined || TERM === "") && process.platform !== "win32");
}

export function kindOfTerminal(environment: Environment): TerminalKind {
  return terminalKind({
    term: environment.TERM ?? "",
    program: environment.TERM_PROGRAM ?? (environment.ConEmuANSI === "ON" ? "ConEmu" : ""),
    isWindowsTerminal: environment.WT_SESSION !== undefined,
    isXterm: environment.XTERM_VERSION !== undefined,
    isVte: environment.VTE_VERSION !== undefined,
  });
}

type WindowHandle = { getWindowSize?(size: number[]): number };

/**
 * Asked of the terminal for every frame: Node learns of another size only with a signal that comes some milliseconds later, and a frame for the
 * old width would be broken into rows that nobody counted. A pseudo-terminal that nobody gave a size counts as one of the usual size.
 */
function windowSize(): { readonly columns: number; readonly rows: number } {
  const size: number[] = [0, 0];
  const { _handle } = process.stdout as unknown as { readonly _handle?: WindowHandle };
  const isKnown = _handle?.getWindowSize?.(size) === 0;
  const [columns, rows] = isKnown ? size : [process.stdout.columns, process.stdout.rows];
  return { columns: columns || 80, rows: rows || 24 };
}

export function surfaceOf({ reflows }: TerminalKind): Surface {
  return {
    write: (text) => void process.stdout.write(text),
    size: windowSize,
    reflows,
  };
}

export type ThemeSource = {
  readonly theme: Theme;
  /** Undefined where the ground makes no difference or is known. */
  readonly themeOn: ((background: Background) => Theme) | undefined;
};

export function themeFor(environment: Environment, wish: ThemeWish | undefined): ThemeSource {
  const facts: TerminalFacts = {
    isTerminal: true,
    term: environment.TERM,
    colorTerm: environment.COLORTERM,
    colorFgBg: environment.COLORFGBG,
    noColor: environment.NO_COLOR,
  };
  const colours = coloursOf(facts);
  const background = backgroundOf(facts);
  const theme = chooseTheme({ wish, colours, ...(background ? { background } : {}) });
  const depends = background === undefined && (wish === undefined || wish === "auto" || wish === "high-contrast");
  const canTell = colours === "256" || colours === "true";
  return {
    theme,
    themeOn: depends && canTell ? (found) => chooseTheme({ wish, colours, background: found }) : undefined,
  };
}

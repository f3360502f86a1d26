import { type Colours, type Look, lookPainter } from "./look.ts";

/** What a piece of text is, not how it looks. */
export type Role =
  | "text"
  | "dim"
  | "accent"
  | "strong"
  | "emphasis"
  | "struck"
  | "error"
  | "warning"
  | "success"
  | "added"
  | "removed"
  | "addedWord"
  | "removedWord"
  | "code"
  | "heading"
  | "link"
  | "quote"
  | "border"
  | "selected";

/** Every answer ends with what it began, so that painted texts can stand inside each other and beside plain ones. */
export type Theme = Readonly<Record<Role, (text: string) => string>>;

export type ThemeWish = "auto" | "dark" | "light" | "high-contrast" | "ansi";
export type Background = "dark" | "light";

type Palette = Readonly<Record<Role, Look>>;

const common = {
  text: {},
  strong: { bold: true },
  emphasis: { italic: true },
  struck: { struck: true },
} as const satisfies Partial<Palette>;

const dark: Palette = {
  ...common,
  dim: { colour: "#8a8f98" },
  accent: { colour: "#7aa2f7" },
  error: { colour: "#f7768e" },
  warning: { colour: "#e0af68" },
  success: { colour: "#9ece6a" },
  added: { colour: "#9ece6a" },
  removed: { colour: "#f7768e" },
  addedWord: { colour: "#d7f5c0", ground: "#2f5a2f" },
  removedWord: { colour: "#ffd7dd", ground: "#6b2737" },
  code: { colour: "#d7ba7d" },
  heading: { colour: "#7aa2f7", bold: true },
  link: { colour: "#7dcfff", underlined: true },
  quote: { colour: "#a9b1c0", italic: true },
  border: { colour: "#5f6672" },
  selected: { colour: "#7aa2f7", bold: true },
};

const light: Palette = {
  ...common,
  dim: { colour: "#6a6f78" },
  accent: { colour: "#1f55c4" },
  error: { colour: "#b3202d" },
  warning: { colour: "#8a5a00" },
  success: { colour: "#23702a" },
  added: { colour: "#23702a" },
  removed: { colour: "#b3202d" },
  addedWord: { colour: "#0b3d10", ground: "#b7e8b9" },
  removedWord: { colour: "#5c0a14", ground: "#f6c4c8" },
  code: { colour: "#7a4300" },
  heading: { colour: "#1f55c4", bold: true },
  link: { colour: "#0b6a8f", underlined: true },
  quote: { colour: "#50555e", italic: true },
  border: { colour: "#a0a5ae" },
  selected: { colour: "#1f55c4", bold: true },
};

/** The sixteen colours a person has set up for their terminal. */
const ansi: Palette = {
  ...common,
  dim: { faint: true },
  accent: { colour: 6 },
  error: { colour: 1 },
  warning: { colour: 3 },
  success: { colour: 2 },
  added: { colour: 2 },
  removed: { colour: 1 },
  addedWord: { colour: 2, inverse: true },
  removedWord: { colour: 1, inverse: true },
  code: { colour: 3 },
  heading: { colour: 6, bold: true },
  link: { colour: 4, underlined: true },
  quote: { italic: true },
  border: { faint: true },
  selected: { colour: 6, bold: true },
};

/** Nothing faint, nothing told by a hue alone. */
const highContrast: Palette = {
  ...common,
  dim: {},
  accent: { colour: 14, bold: true },
  error: { colour: 9, bold: true },
  warning: { colour: 11, bold: true },
  success: { colour: 10, bold: true },
  added: { colour: 10 },
  removed: { colour: 9 },
  addedWord: { colour: 10, bold: true, inverse: true },
  removedWord: { colour: 9, bold: true, inverse: true },
  code: { bold: true },
  heading: { bold: true, underlined: true },
  link: { colour: 14, underlined: true },
  quote: { italic: true },
  border: {},
  selected: { bold: true, inverse: true },
};

const highContrastOnLight: Palette = {
  ...highContrast,
  accent: { colour: 4, bold: true },
  error: { colour: 1, bold: true },
  warning: { colour: 5, bold: true },
  success: { colour: 2, bold: true },
  added: { colour: 2 },
  removed: { colour: 1 },
  addedWord: { colour: 2, bold: true, inverse: true },
  removedWord: { colour: 1, bold: true, inverse: true },
  link: { colour: 4, underlined: true },
};

export type ThemeChoice = {
  readonly wish: ThemeWish | undefined;
  readonly colours: Colours;
  readonly background?: Background;
};

export function chooseTheme({ wish = "auto", colours, background }: ThemeChoice): Theme {
  const palette = paletteFor(wish, colours, background);
  const painted = (Object.keys(palette) as Role[]).map((role) => [role, lookPainter(palette[role], colours)]);
  return Object.fromEntries(painted) as Theme;
}

function paletteFor(wish: ThemeWish, colours: Colours, background: Background | undefined): Palette {
  if (wish === "high-contrast") return background === "light" ? highContrastOnLight : highContrast;
  if (wish === "ansi" || colours === "16" || colours === "none") return ansi;
  if (wish === "auto") return background === undefined ? ansi : background === "light" ? light : dark;
  return wish === "light" ? light : dark;
}

/** Sequences that tell the terminal, not the person: title, progress, notifications, marks between prompts. */

export type TerminalKind = {
  /** Shows progress in its tab or task bar; others would take it for a notification. */
  readonly showsProgress: boolean;
  readonly notifies: "osc9" | "osc777" | "bell";
  readonly hasTitle: boolean;
  readonly reflows: Reflow;
  /** Text can be a link; elsewhere the address is written behind it. */
  readonly hasLinks: boolean;
};

/** What becomes of a line that is longer than a window has got. Some cut the line of the cursor off instead of going on in the next row. */
export type Reflow = "all" | "all-but-cursor" | "none";

export type TerminalVariables = {
  readonly term: string;
  readonly program: string;
  readonly isWindowsTerminal: boolean;
  readonly isXterm: boolean;
  readonly isVte: boolean;
};

export function terminalKind({ term, program, isWindowsTerminal, isXterm, isVte }: TerminalVariables): TerminalKind {
  const isPlainConsole = term === "linux" || term.startsWith("vt");
  const isUrxvt = term.startsWith("rxvt");
  const name = program + term;
  const isKnown = isVte || isWindowsTerminal || /iTerm|WezTerm|ghostty|kitty|alacritty|foot/i.test(name);
  return {
    showsProgress: isWindowsTerminal || /ghostty/i.test(name) || /^(WezTerm|ConEmu)$/.test(program),
    notifies: isPlainConsole
      ? "bell"
      : isUrxvt || isVte
        ? "osc777"
        : /iTerm|WezTerm|ghostty|kitty/i.test(name)
          ? "osc9"
          : "bell",
    hasTitle: !isPlainConsole,
    reflows: isXterm || isPlainConsole || isUrxvt ? "none" : isKnown || program === "tmux" ? "all" : "all-but-cursor",
    hasLinks: (isKnown || program === "vscode") && program !== "tmux",
  };
}

const bell = "\u0007";

export function notification(text: string, { notifies }: TerminalKind): string {
  if (notifies === "osc9") return `\u001b]9;${text}${bell}${bell}`;
  if (notifies === "osc777") return `\u001b]777;notify;corecoder;${text}${bell}${bell}`;
  return bell;
}

export function title(text: string, { hasTitle }: TerminalKind): string {
  return hasTitle ? `\u001b]0;${text}${bell}` : "";
}

/** Kept and given back by terminals that can. */
export const keepTitle = ({ hasTitle }: TerminalKind) => (hasTitle ? "\u001b[22;0t" : "");
export const giveTitleBack = ({ hasTitle }: TerminalKind) => (hasTitle ? "\u001b[23;0t" : "");

export function progress(state: "busy" | "none", { showsProgress }: TerminalKind): string {
  return showsProgress ? `\u001b]9;4;${state === "busy" ? 3 : 0}${bell}` : "";
}

/** Whether the terminal has the keyboard, where it tells. */
export const focusReports = {
  on: "\u001b[?1004h",
  off: "\u001b[?1004l",
  gained: "\u001b[I",
  lost: "\u001b[O",
} as const;

/** Terminals jump between these marks: before a prompt, before what it led to, after that. */
export const promptMarks = {
  prompt: `\u001b]133;A${bell}`,
  output: `\u001b]133;C${bell}`,
  done: `\u001b]133;D${bell}`,
} as const;

import type { EditorCommand } from "./editor.ts";

/** What a key can be made to do. */
export type KeyAction =
  | EditorCommand
  | "send"
  | "up"
  | "down"
  | "complete"
  | "interrupt"
  | "cancel"
  | "leave"
  | "suspend"
  | "cycleMode"
  | "unfold"
  | "searchHistory"
  | "externalEditor"
  | "pickModel"
  | "redraw";

/** Emacs keys, as shells have them. */
const defaults: Readonly<Record<string, KeyAction>> = {
  enter: "send",
  "shift+enter": "newLine",
  "alt+enter": "newLine",
  "ctrl+enter": "newLine",
  up: "up",
  down: "down",
  "ctrl+p": "up",
  "ctrl+n": "down",
  left: "left",
  right: "right",
  "ctrl+b": "left",
  "ctrl+f": "right",
  "alt+left": "wordLeft",
  "alt+right": "wordRight",
  "ctrl+left": "wordLeft",
  "ctrl+right": "wordRight",
  "alt+b": "wordLeft",
  "alt+f": "wordRight",
  home: "lineStart",
  end: "lineEnd",
  "ctrl+a": "lineStart",
  "ctrl+e": "lineEnd",
  "ctrl+home": "textStart",
  "ctrl+end": "textEnd",
  backspace: "backspace",
  "shift+backspace": "backspace",
  "ctrl+h": "backspace",
  delete: "delete",
  "ctrl+d": "leave",
  "ctrl+k": "killToEnd",
  "ctrl+u": "killToStart",
  "ctrl+w": "killBlankWordBack",
  "alt+backspace": "killWordBack",
  "ctrl+backspace": "killWordBack",
  "alt+d": "killWord",
  "ctrl+y": "yank",
  "ctrl+t": "transpose",
  "ctrl+_": "undo",
  "ctrl+-": "undo",
  "ctrl+/": "undo",
  tab: "complete",
  escape: "interrupt",
  "ctrl+c": "cancel",
  "ctrl+z": "suspend",
  "shift+tab": "cycleMode",
  "ctrl+o": "unfold",
  "ctrl+r": "searchHistory",
  "ctrl+g": "externalEditor",
  "alt+m": "pickModel",
  "ctrl+l": "redraw",
};

export type KeyTable = ReadonlyMap<string, KeyAction>;

const known = new Set<string>(Object.values(defaults));
for (const name of ["killLine"]) known.add(name);

/** The person's own keys on top of ours, each as `action=key`; a wrong one is told and left out. */
export function readKeyTable(own: readonly string[]): {
  readonly table: KeyTable;
  readonly problems: readonly string[];
} {
  const table = new Map(Object.entries(defaults));
  const problems: string[] = [];
  for (const item of own) {
    const [, action = "", key = ""] = /^\s*(\w+)\s*=\s*(\S+)\s*$/.exec(item) ?? [];
    if (known.has(action)) table.set(key.toLowerCase(), action as KeyAction);
    else
      problems.push(
        `The key setting "${item}" is not understood: write action=key, such as externalEditor=ctrl+x. Actions: ${[...known].join(", ")}.`,
      );
  }
  return { table, problems };
}

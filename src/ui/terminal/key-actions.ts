import { exitCode, UserError } from "../../contracts/errors.ts";
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
  | "pastePicture"
  | "redraw";

/** Emacs keys, as shells have them. */
const defaults: Readonly<Record<string, KeyAction>> = {
  enter: "send",
  "ctrl+enter": "newLine",
  "alt+enter": "newLine",
  "shift+enter": "newLine",
  "ctrl+p": "up",
  "ctrl+n": "down",
  up: "up",
  down: "down",
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
  "ctrl+v": "pastePicture",
  "ctrl+l": "redraw",
};

export type KeyTable = ReadonlyMap<string, KeyAction>;

const actions: ReadonlySet<string> = new Set([...Object.values(defaults), "killLine"]);

const modifiers = "(?:(?:ctrl|alt|shift|super)\\+)*";
const names =
  "enter|escape|tab|space|backspace|delete|insert|home|end|pageup|pagedown|up|down|left|right|clear|f(?:[1-9]|1[0-2])";
const keyName = new RegExp(`^${modifiers}(?:${names}|[^\\s\\p{Cc}])$`, "iu");

/** The person's own keys on top of ours, each as `action=key`; what is not understood is an error of theirs, told in one line. */
export function readKeyTable(own: readonly string[]): KeyTable {
  const table = new Map(Object.entries(defaults));
  for (const item of own) {
    const [, action = "", key = ""] = /^\s*(\w+)\s*=\s*(\S+)\s*$/.exec(item) ?? [];
    if (!actions.has(action)) throw refused(item, `is no action=key. Actions: ${[...actions].join(", ")}.`);
    if (!keyName.test(key)) throw refused(item, `names no key. Keys are written as ctrl+x, alt+enter, f5 or pageUp.`);
    table.set(
      key.toLowerCase().replace(/page(up|down)/, (_, way) => (way === "up" ? "pageUp" : "pageDown")),
      action as KeyAction,
    );
  }
  return table;
}

function refused(item: string, why: string): UserError {
  return new UserError(exitCode.config, `The setting "keys": ${JSON.stringify(item)} ${why}`);
}

import type { KeyHelp } from "../../contracts/command.ts";
import type { KeyAction, KeyTable } from "./key-actions.ts";

/** What is worth knowing, in the order it is met. Keys that every text field has are left out. */
const told: readonly (readonly [KeyAction, string])[] = [
  ["send", "sends; a line that ends in \\ goes on"],
  ["newLine", "a new line (also Esc Enter)"],
  ["up", "what was sent before; takes back what is queued"],
  ["searchHistory", "searches what was sent before"],
  ["complete", "completes /commands and @files"],
  ["interrupt", "stops the agent; twice at the prompt clears the text, or goes back to an earlier prompt"],
  ["cancel", "stops the agent; at the prompt clears, then quits"],
  ["leave", "quits"],
  ["suspend", "suspends; fg comes back"],
  ["cycleMode", "the next permission mode"],
  ["unfold", "shows the last output, or the last thinking, whole"],
  ["pickModel", "picks a model"],
  ["externalEditor", "writes the prompt in your editor"],
  ["pastePicture", "pastes a picture from the clipboard"],
  ["redraw", "draws the prompt again"],
];

const words: readonly KeyHelp[] = [
  { keys: "!command", does: "runs it unasked and tells the model with your next prompt" },
  { keys: "@path", does: "names a file; the path of a picture sends the picture" },
];

/** As the keys are set now, those of the person's own before the usual ones. */
export function keyHelp(table: KeyTable): readonly KeyHelp[] {
  const keysOf = (wanted: KeyAction) => [...table].flatMap(([key, action]) => (action === wanted ? [key] : []));
  const rows = told.map(([action, does]) => ({
    keys: keysOf(action).slice(-shownKeys).reverse().map(written).join(", "),
    does,
  }));
  return [...rows.filter(({ keys }) => keys !== ""), ...words];
}

const shownKeys = 2;
const names: Readonly<Record<string, string>> = { escape: "Esc", up: "↑", down: "↓", pageUp: "PgUp", pageDown: "PgDn" };

/** `ctrl+o` as it stands on keyboards. */
function written(key: string): string {
  return key
    .split("+")
    .map((part) => names[part] ?? part.charAt(0).toUpperCase() + part.slice(1))
    .join("+");
}

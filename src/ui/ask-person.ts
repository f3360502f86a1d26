import { watchKeys } from "./busy-keys.ts";
import { createLineInput } from "./line-input.ts";

/** Questions outside a turn: before a conversation begins, and those of slash commands. */

/** Answered with one key; Enter, Esc and Ctrl-C are the fallback. */
export async function chooseKey(question: string, keys: string, fallback: string): Promise<string> {
  process.stderr.write(question);
  const pressed = watchKeys(
    () => {},
    () => {},
  );
  const key = await pressed.choose(keys, fallback);
  pressed.stop();
  process.stderr.write(`${key}\n`);
  return key;
}

/** One of several, by its number; undefined when the person wants none. */
export async function pickRow(question: string, rows: readonly string[]): Promise<number | undefined> {
  process.stdout.write(rows.map((row, at) => `${String(at + 1).padStart(3)}  ${row}\n`).join(""));
  const answer = await createLineInput({
    prompt: `${question} (1–${rows.length}, Enter for none) `,
    history: [],
    remember: () => {},
    complete: () => [],
  }).ask("");
  const number = Number(answer?.trim());
  return Number.isInteger(number) && number >= 1 && number <= rows.length ? number - 1 : undefined;
}

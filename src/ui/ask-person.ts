/** Questions outside a turn: before a conversation begins, and those of slash commands. */
export type Asker = {
  /** Answered with one key; Enter, Esc and Ctrl-C are the fallback. */
  chooseKey(question: string, keys: string, fallback: string): Promise<string>;
  /** One of several; undefined when the person wants none. */
  pickRow(question: string, rows: readonly string[]): Promise<number | undefined>;
  /** A line of text; empty when the person thinks better of it. A secret one is not shown where that can be helped. */
  askText(question: string, kind: "open" | "secret"): Promise<string>;
};

/** A line at a time, for any terminal and for screen readers. */
const plainAsker: Asker = {
  async chooseKey(question, keys, fallback) {
    process.stderr.write(question);
    const { watchKeys } = await import("./busy-keys.ts");
    const pressed = watchKeys(
      () => {},
      () => {},
    );
    const key = await pressed.choose(keys, fallback);
    pressed.stop();
    process.stderr.write(`${key}\n`);
    return key;
  },
  async pickRow(question, rows) {
    process.stdout.write(rows.map((row, at) => `${String(at + 1).padStart(3)}  ${row}\n`).join(""));
    const { createLineInput } = await import("./line-input.ts");
    const answer = await createLineInput({
      prompt: `${question} (1–${rows.length}, Enter for none) `,
      history: [],
      remember: () => {},
      complete: () => [],
    }).ask("");
    const number = Number(answer?.trim());
    return Number.isInteger(number) && number >= 1 && number <= rows.length ? number - 1 : undefined;
  },
  async askText(question) {
    const { createLineInput } = await import("./line-input.ts");
    const input = createLineInput({ prompt: `${question}: `, history: [], remember: () => {}, complete: () => [] });
    return (await input.ask("")) ?? "";
  },
};

/** One process has one terminal and one person at it. */
let asker = plainAsker;

/** From now on questions are asked this way. */
export function askThrough(next: Asker): void {
  asker = next;
}

export const chooseKey: Asker["chooseKey"] = (...question) => asker.chooseKey(...question);
export const askText: Asker["askText"] = (...question) => asker.askText(...question);
export const pickRow: Asker["pickRow"] = (...question) => asker.pickRow(...question);

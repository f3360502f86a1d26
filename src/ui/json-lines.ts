import type { AgentEvent, TurnOutcome, TurnTotals } from "../contracts/event.ts";
import type { CreateDialect, Dialect, Line } from "./dialects/dialect.ts";
import type { Output } from "./output.ts";

/** Machine output: a line an event, in the words of a dialect. */
export type JsonLinesOptions = {
  readonly events: AsyncIterable<AgentEvent>;
  readonly prompt: string;
  readonly dialect: Dialect;
  readonly output: Output;
  /** Only the result at the end, or every event. */
  readonly every: boolean;
  readonly finalText: () => string;
  /** What the answer holds, when one of a given shape was asked for. */
  readonly structured?: () => unknown;
};

export async function printJsonLines(options: JsonLinesOptions): Promise<TurnOutcome> {
  const { events, prompt, dialect, output, every, finalText, structured } = options;
  const write = (lines: readonly Line[]) => {
    for (const line of lines) output.out(`${JSON.stringify(line)}\n`);
  };
  let outcome: TurnOutcome = { type: "interrupted" };
  let totals: TurnTotals | undefined;
  if (every) write(dialect.prompt(prompt));
  for await (const event of events) {
    if (event.type === "turn.finished") ({ outcome, totals } = event);
    if (every) write(dialect.event(event));
  }
  const value = structured?.();
  const result = { outcome, totals, text: finalText(), ...(value === undefined ? {} : { structured: value }) };
  write(every ? dialect.end(result) : [dialect.summary(result)]);
  return outcome;
}

/** The result of a run that failed before it had a session. */
export function failureLine(error: unknown, createDialect: CreateDialect): Line {
  const failed: TurnOutcome = { type: "failed", error: error instanceof Error ? error : new Error(String(error)) };
  const session = { sessionId: "", model: "", cwd: "", tools: [], permissionMode: "", endpoint: "" };
  return createDialect({ session, partial: false }).summary({ outcome: failed, totals: undefined, text: "" });
}

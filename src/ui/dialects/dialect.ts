import type { AgentEvent, TurnOutcome, TurnTotals } from "../../contracts/event.ts";
import { describeOutcome } from "../describe-outcome.ts";

/** Machine output: the words in which a run is told to a script. A dialect is one file here and one line in `index.ts`. */

export type Line = Readonly<Record<string, unknown>>;

export type MachineSession = {
  readonly sessionId: string;
  readonly model: string;
  readonly cwd: string;
  readonly tools: readonly string[];
  readonly permissionMode: string;
  readonly endpoint: string;
};

export type TurnResult = {
  readonly outcome: TurnOutcome;
  readonly totals: TurnTotals | undefined;
  readonly text: string;
  /** What the answer holds, when one of a given shape was asked for. */
  readonly structured?: unknown;
};

export type Dialect = {
  /** Before everything else. */
  begin(): readonly Line[];
  /** A prompt is sent. */
  prompt(text: string): readonly Line[];
  event(event: AgentEvent): readonly Line[];
  /** The last lines of a prompt, whatever happened. */
  end(result: TurnResult): readonly Line[];
  /** Everything in one object, for those who want no stream. */
  summary(result: TurnResult): Line;
};

export type DialectOptions = { readonly session: MachineSession; readonly partial: boolean };

export type CreateDialect = (options: DialectOptions) => Dialect;

export function problemOf({ outcome }: TurnResult, session: MachineSession): string | undefined {
  return describeOutcome(outcome, session);
}

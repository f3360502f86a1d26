import { textOf } from "../../contracts/message.ts";
import { quotedTokens } from "../fold-note.ts";
import type { Estimate, Transcript } from "../transcript.ts";

export type RunningTotals = {
  /** All of the history. */
  readonly tokens: number;
  /** What the person said, as a note quotes it. */
  readonly users: number;
  /** What the agent said, without its calls. */
  readonly prose: number;
  /** The latest request, which stays as it is. */
  readonly latest: { readonly index: number; readonly tokens: number };
};

const nothing = { tokens: 0, users: 0, prose: 0, latest: { index: 0, tokens: 0 }, entries: 0 };

const known = new WeakMap<Transcript, RunningTotals & { readonly entries: number }>();

/** Sums over the history; a call only looks at what is new. */
export function runningTotals(transcript: Transcript, estimate: Estimate): RunningTotals {
  const before = known.get(transcript) ?? nothing;
  let { tokens, users, prose, latest } = before;
  for (const { message, index, tokens: size } of transcript.entries.slice(before.entries)) {
    tokens += size;
    if (message.role === "user" && !message.synthetic) {
      users += quotedTokens(textOf(message), estimate);
      latest = { index, tokens: size };
    }
    if (message.role === "assistant") prose += estimate(textOf(message));
  }
  const totals = { tokens, users, prose, latest, entries: transcript.entries.length };
  known.set(transcript, totals);
  return totals;
}

import type { Summarise } from "../contracts/context.ts";
import type { Message } from "../contracts/message.ts";
import { summaryInstruction } from "./summary-instruction.ts";

/** After this many failures in a row the model is not asked again in this session. */
const breakerAfter = 3;

export type Summariser = (input: {
  view: readonly Message[];
  focus: string | undefined;
  limitTokens: number;
  signal: AbortSignal;
}) => Promise<string | undefined>;

/** A summary from the model, or undefined when it gives none worth having: it failed, said nothing, or said more than it was given. */
export function createSummariser(summarise: Summarise, estimate: (text: string) => number): Summariser {
  let failures = 0;
  return async ({ view, focus, limitTokens, signal }) => {
    if (failures >= breakerAfter) return undefined;
    try {
      const { text } = await summarise({ view, instruction: summaryInstruction(focus), signal });
      const summary = text.replace(/<analysis>[\s\S]*?(<\/analysis>|$)/g, "").trim();
      if (summary === "" || estimate(summary) > limitTokens) throw new Error("no usable summary");
      failures = 0;
      return summary;
    } catch (error) {
      if (signal.aborted) throw error;
      failures++;
      return undefined;
    }
  };
}

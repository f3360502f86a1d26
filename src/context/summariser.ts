import type { Summarise } from "../contracts/context.ts";
import type { Message } from "../contracts/message.ts";
import { ownPromptInstruction, summaryInstruction } from "./summary-instruction.ts";

/** After this many failures in a row the model is not asked again in this session. */
const breakerAfter = 3;

export type SummariserInput = {
  readonly view: readonly Message[];
  /** Asked instead of the live conversation. */
  readonly prompt: string | undefined;
  readonly focus: string | undefined;
  readonly limitTokens: number;
  readonly signal: AbortSignal;
};

export type Summariser = (input: SummariserInput) => Promise<string | undefined>;

/** A summary from the model, or undefined when it gives none worth having: it failed, said nothing, or said more than it was given. */
export function createSummariser(summarise: Summarise, estimate: (text: string) => number): Summariser {
  let failures = 0;
  return async ({ view, prompt, focus, limitTokens, signal }) => {
    if (failures >= breakerAfter) return undefined;
    try {
      const request =
        prompt === undefined
          ? { view, instruction: summaryInstruction(focus) }
          : { view: [], instruction: ownPromptInstruction(prompt, focus) };
      const { text } = await summarise({ ...request, signal });
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

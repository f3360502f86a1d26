import type { Stage } from "../stage.ts";
import type { FoldLimits } from "./fold-limits.ts";
import { foldNow } from "./summarise.ts";

export type IdleParameters = FoldLimits & { readonly atTokens: number };

/**
 * The person was away for longer than the vendor keeps a prefix: everything has to be written anew, so it had better be little. The summary
 * was written in time, or is put together by code: asking for one now would cost the very rewrite that is to be saved.
 */
export const idle: Stage<IdleParameters> = (context, parameters) =>
  context.isCold && context.tokens > parameters.atTokens
    ? foldNow({ ...context, summarise: async () => context.preparedSummary }, parameters)
    : undefined;

import type { NoteLimits } from "../fold-note.ts";
import type { Stage } from "../stage.ts";
import { foldNow } from "./summarise.ts";

export type IdleParameters = NoteLimits & { readonly atTokens: number; readonly tailTokens: number };

/** The person was away for longer than the vendor keeps a prefix: everything has to be written anew, so it had better be little. */
export const idle: Stage<IdleParameters> = (context, parameters) =>
  context.isCold && context.tokens > parameters.atTokens ? foldNow(context, parameters) : undefined;

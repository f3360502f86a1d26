import type { SeriesPoint, WindowShares } from "../contracts/comparison.ts";
import type { Receipt } from "../contracts/context.ts";
import type { Message } from "../contracts/message.ts";

export type SharesOptions = {
  readonly view: readonly Message[];
  readonly fixedTokens: number;
  readonly sizeOf: (message: Message) => number;
  /** Ids of the recorded messages: what else a view holds was written by the policy. */
  readonly recorded: ReadonlySet<string>;
};

export function windowShares({ view, fixedTokens, sizeOf, recorded }: SharesOptions): WindowShares {
  const shares = { system: fixedTokens, user: 0, agent: 0, results: 0, summary: 0 };
  for (const message of view) {
    const size = sizeOf(message);
    if (!recorded.has(message.id)) shares.summary += size;
    else if (message.role === "tool") shares.results += size;
    else if (message.role === "assistant") shares.agent += size;
    else shares.user += size;
  }
  return shares;
}

/** Stages whose folds carry a summary, written by a model or extracted; others fold without saying what was there. */
const summarising: ReadonlySet<string> = new Set(["idle", "settle", "summarise", "collapse", "keep-last"]);

export function cutOf({ stages, tokensBefore, tokensAfter, folded }: Receipt): NonNullable<SeriesPoint["cut"]> {
  const isSummary = folded > 0 && stages.some((stage) => summarising.has(stage));
  return { stages, before: tokensBefore, after: tokensAfter, isSummary };
}

import type { Receipt } from "../contracts/context.ts";
import type { Message } from "../contracts/message.ts";

/** What fills a window: tokens by who wrote them. */
export type WindowShares = {
  readonly system: number;
  readonly user: number;
  readonly agent: number;
  readonly results: number;
  readonly summary: number;
};

/** One model call of a replayed session. */
export type SeriesPoint = WindowShares & {
  /** All of the window. */
  readonly tokens: number;
  /** Spent so far, this call included. */
  readonly costUsd: number;
  /** Set when the view was cut before this call. */
  readonly cut?: { readonly stages: readonly string[]; readonly before: number; readonly after: number };
};

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

export function cutOf({ stages, tokensBefore, tokensAfter }: Receipt): NonNullable<SeriesPoint["cut"]> {
  return { stages, before: tokensBefore, after: tokensAfter };
}

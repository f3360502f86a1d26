import type { Usage } from "../contracts/message.ts";
import type { ModelRequest } from "../contracts/provider.ts";

/** A prefix that the vendor should have had in its cache, and read anew. */
export type CacheMiss = {
  readonly expectedTokens: number;
  readonly readTokens: number;
  /** What changed, and where, as far as it can be told from here. */
  readonly cause: string;
};

export type CacheWatch = {
  /** A request was answered; undefined when the cache did what it should. */
  observe(request: ModelRequest, usage: Usage | undefined, sentAt: number): CacheMiss | undefined;
};

type Sent = {
  readonly request: ModelRequest;
  readonly messages: readonly unknown[];
  readonly tokens: number;
  readonly at: number;
};

/** Vendors cache nothing shorter than about a thousand tokens, and in blocks. */
const smallestTokens = 4_000;
/** Less than this share of what could be had is a miss. */
const hitShare = 0.5;

/** Compares what a vendor read from its cache with what it could have: what the request before had in common with this one. */
export function createCacheWatch(keptMs: () => number): CacheWatch {
  let last: Sent | undefined;
  /** A vendor that never reports a hit, nor that it has kept something, does not report them at all. */
  let reportsCache = false;
  return {
    observe(request, usage, sentAt) {
      const before = last;
      if (usage === undefined) return undefined;
      // the array goes on growing after the request was sent
      last = { request, messages: [...request.messages], tokens: usage.inputTokens, at: sentAt };
      const couldHit = reportsCache;
      reportsCache ||= usage.cacheReadTokens > 0 || usage.cacheWriteTokens > 0;
      if (before === undefined || !couldHit) return undefined;
      const { expectedTokens, cause } = compare(before, last, keptMs());
      const isMiss = expectedTokens >= smallestTokens && usage.cacheReadTokens < hitShare * expectedTokens;
      return isMiss ? { expectedTokens, readTokens: usage.cacheReadTokens, cause } : undefined;
    },
  };
}

function compare(before: Sent, now: Sent, keptMs: number): { expectedTokens: number; cause: string } {
  const everything = before.tokens;
  const silentMs = now.at - before.at;
  if (before.request.model !== now.request.model)
    return {
      expectedTokens: everything,
      cause: `the model changed from ${before.request.model} to ${now.request.model}`,
    };
  if (before.request.system !== now.request.system)
    return { expectedTokens: everything, cause: "the system prompt changed" };
  if (
    before.request.tools !== now.request.tools &&
    JSON.stringify(before.request.tools) !== JSON.stringify(now.request.tools)
  )
    return { expectedTokens: everything, cause: "the tools changed" };
  const changed = before.messages.findIndex((message, at) => message !== now.messages[at]);
  // what comes behind the first change cannot be read from the cache; how much that is can only be told by the number of messages
  const share = changed < 0 ? 1 : changed / Math.max(before.messages.length, 1);
  const expectedTokens = Math.round(everything * share);
  if (silentMs > keptMs)
    return {
      expectedTokens,
      cause: `${minutes(silentMs)} of silence, the vendor keeps a prefix for ${minutes(keptMs)}`,
    };
  const where = changed < 0 ? "nothing" : `nothing before message ${changed + 1} of ${before.messages.length}`;
  return {
    expectedTokens,
    cause: `${where} changed here: the vendor dropped it, or sent the request to another machine`,
  };
}

function minutes(ms: number): string {
  return `${Math.max(1, Math.round(ms / 60_000))} min`;
}

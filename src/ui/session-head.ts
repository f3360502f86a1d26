import type { SessionDigest } from "../contracts/saved-session.ts";
import { counted, dollars, durationText, percentText, tokensText } from "./figures.ts";

/** What a session came to, as short phrases: used wherever one is shown or exported. */
export function sessionFigures(about: SessionDigest): readonly string[] {
  const { usage, turns, calls, toolCalls, filesChanged, busyMs, costUsd, state, damagedPlaces } = about;
  return [
    counted(turns, "prompt"),
    counted(calls, "model call"),
    ...(toolCalls > 0 ? [counted(toolCalls, "tool call")] : []),
    ...(filesChanged > 0 ? [`${counted(filesChanged, "file")} changed`] : []),
    `${tokensText(usage.inputTokens)} tokens in (${percentText(usage.cacheReadTokens, usage.inputTokens)} from the cache)`,
    `${tokensText(usage.outputTokens)} out`,
    ...(calls === 0 ? [] : [costUsd === null ? "cost not known" : dollars(costUsd)]),
    ...(busyMs > 0 ? [`${durationText(busyMs)} at work`] : []),
    state,
    ...(damagedPlaces > 0 ? [`${counted(damagedPlaces, "place")} of its log cannot be read`] : []),
  ];
}

/** A turn's end in a few words. */
export function outcomeText(outcome: string): string {
  const words: Readonly<Record<string, string>> = {
    done: "done",
    failed: "failed",
    interrupted: "interrupted",
    budget: "stopped: the budget is spent",
    "round-limit": "stopped at the limit of model calls",
    repetition: "stopped: it repeated itself",
  };
  return words[outcome] ?? outcome;
}

import type { TurnOutcome } from "../contracts/event.ts";
import type { ToolContext, ToolOutput } from "../contracts/tool.ts";

/** Longest report that enters the parent's conversation; the whole is kept under its handle. */
const reportLimit = 5_000;

/** What the parent reads of how a sub-agent ended. */
export function reportOf(outcome: TurnOutcome | undefined, lastText: string, context: ToolContext): ToolOutput {
  if (outcome === undefined) return { text: "The sub-agent ended without an answer.", isError: true };
  switch (outcome.type) {
    case "failed":
      return { text: `Sub-agent error: ${outcome.error.message}`, isError: true };
    case "interrupted":
      return { text: "[interrupted]", isError: true };
    case "done":
      return shorten(lastText || "(no text)", context);
    default: {
      const why = `The sub-agent was stopped before it was done: ${reasonOf(outcome)}.`;
      return shorten(`${why} ${lastText === "" ? "It said nothing." : `Its last words:\n${lastText}`}`, context);
    }
  }
}

function reasonOf(outcome: TurnOutcome): string {
  switch (outcome.type) {
    case "round-limit":
      return `round limit of ${outcome.rounds}`;
    case "repetition":
      return `it called ${outcome.tool} ${outcome.times} times with the same result`;
    case "budget":
      return `the budget of $${outcome.limitUsd} is spent`;
    default:
      return outcome.type;
  }
}

function shorten(text: string, context: ToolContext): ToolOutput {
  if (text.length <= reportLimit) return { text };
  const path = context.keep(text);
  const whole =
    path === undefined ? "the rest could not be kept" : `the whole report is ${context.handle}, read_file ${path}`;
  return { text: `${text.slice(0, reportLimit - 200)}\n[… ${text.length} characters in all; ${whole}]` };
}

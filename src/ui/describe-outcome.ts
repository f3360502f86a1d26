import { type ExitCode, exitCode, ProviderError, UserError } from "../contracts/errors.ts";
import type { TurnOutcome } from "../contracts/event.ts";
import { stripControl } from "../platform/terminal-text.ts";

export function exitCodeOf(outcome: TurnOutcome): ExitCode {
  switch (outcome.type) {
    case "done":
      return exitCode.done;
    case "round-limit":
    case "repetition":
      return exitCode.rounds;
    case "budget":
      return exitCode.budget;
    case "interrupted":
      return exitCode.interrupted;
    case "failed":
      return exitCodeOfError(outcome.error);
  }
}

export function exitCodeOfError(error: unknown): ExitCode {
  if (error instanceof UserError) return error.exit;
  if (!(error instanceof ProviderError)) return exitCode.failed;
  if (error.code === "auth") return exitCode.auth;
  return error.code === "context-overflow" ? exitCode.context : exitCode.failed;
}

/** What happened and what to do next; undefined when all went well. */
export function describeOutcome(outcome: TurnOutcome, target: { endpoint: string; model: string }): string | undefined {
  switch (outcome.type) {
    case "done":
      return undefined;
    case "round-limit":
      return `Stopped at the limit of ${outcome.rounds} model calls for one prompt. Go on with another prompt, or raise --max-rounds.`;
    case "repetition":
      return `Stopped: ${outcome.tool} was called ${outcome.times} times in a row with the same arguments and the same result. Say what to do differently and go on.`;
    case "budget":
      return `Stopped: the budget of $${outcome.limitUsd} is spent. Raise --max-budget-usd to go on.`;
    case "interrupted":
      return "Interrupted.";
    case "failed":
      return describeFailure(outcome.error, target);
  }
}

function describeFailure(error: Error, { endpoint, model }: { endpoint: string; model: string }): string {
  const told = stripControl(error.message);
  if (!(error instanceof ProviderError)) return told;
  const message = told.replace(/\s+/g, " ").trim().replace(/\.+$/, "");
  switch (error.code) {
    case "auth":
      return `The key was refused by ${endpoint}: ${message}.\nCheck the key (CORECODER_API_KEY, OPENAI_API_KEY, … or --api-key) and that it belongs to this endpoint.`;
    case "quota":
      return `The account behind the key has nothing left to spend at ${endpoint}: ${message}.`;
    case "network":
      return `${upper(message)}.\nCheck --base-url (${endpoint}), and that the server runs.`;
    case "unreachable":
      return `${upper(message)}.`;
    case "not-found":
      return `${endpoint} does not know this address or the model "${model}": ${message}.\nCheck --model and --base-url (it usually ends in /v1).`;
    case "not-a-stream":
      return `${upper(message)}.\nCheck --base-url (${endpoint}): it usually ends in /v1.`;
    case "context-overflow":
      return `The conversation is larger than the window of ${model}: ${message}.\nStart anew with /reset, or use a model with a larger window.`;
    case "content-filter":
      return `The request was refused by the content filter of ${endpoint}: ${message}.`;
    case "empty":
      return `${model} answered with nothing, twice. Try again, or another model.`;
    default:
      return `The call to ${endpoint} failed: ${message}.`;
  }
}

function upper(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

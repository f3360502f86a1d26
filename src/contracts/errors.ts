import type { Usage } from "./message.ts";

/**
 * Errors have three audiences, told apart by `kind` and `code`, never by message text:
 * the model (ToolError), the person (UserError), the retry logic (ProviderError).
 */

/** What the model should read. The call failed; the conversation goes on. */
export class ToolError extends Error {
  readonly kind = "tool";
  override readonly name = "ToolError";
}

/** Exit codes of the command line (CLI contract). */
export const exitCode = {
  done: 0,
  failed: 1,
  auth: 41,
  usage: 42,
  config: 52,
  rounds: 53,
  budget: 55,
  context: 56,
  interrupted: 130,
  terminated: 143,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** What the person should read: what happened, to what, what to do next. One or two lines. */
export class UserError extends Error {
  readonly kind = "user";
  override readonly name = "UserError";
  constructor(
    readonly exit: ExitCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export type ProviderErrorCode =
  | "auth" // no or rejected key
  | "quota" // the account is out of money: waiting does not help
  | "rate-limit"
  | "overloaded" // 5xx, 529
  | "network" // refused, reset, DNS, time-out before an answer
  | "stale" // a kept connection was closed before anything came back: another one, at once
  | "unreachable" // a certificate, a proxy that says no: trying again does not help
  | "stalled" // no data event for the idle time
  | "broken-stream" // ended or reset in the middle
  | "empty" // a valid answer that carries nothing
  | "parameter-refused" // the endpoint rejected an optional field; it is already remembered, send again
  | "context-overflow"
  | "not-found" // unknown model or wrong path
  | "not-a-stream" // an HTML page, or something else that is no answer
  | "content-filter"
  | "bad-request"
  | "aborted";

/** The only error a Provider throws. */
export class ProviderError extends Error {
  readonly kind = "provider";
  override readonly name = "ProviderError";
  readonly code: ProviderErrorCode;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  /** For "context-overflow": the limit the vendor named. */
  readonly limitTokens: number | undefined;
  /** Of an answer that was thrown away but has to be paid. */
  readonly usage: Usage | undefined;
  constructor(
    code: ProviderErrorCode,
    message: string,
    details: {
      status?: number;
      retryAfterMs?: number;
      limitTokens?: number;
      usage?: Usage | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.status = details.status;
    this.retryAfterMs = details.retryAfterMs;
    this.limitTokens = details.limitTokens;
    this.usage = details.usage;
  }
}

/** Something thrown, as one line. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

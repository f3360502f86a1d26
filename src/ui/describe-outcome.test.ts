import { describe, expect, it } from "vitest";
import {
  type ExitCode,
  exitCode,
  ProviderError,
  type ProviderErrorCode,
  ToolError,
  UserError,
} from "../contracts/errors.ts";
import type { TurnOutcome } from "../contracts/event.ts";
import { describeOutcome, exitCodeOf, exitCodeOfError } from "./describe-outcome.ts";

const target = { endpoint: "http://localhost:9/v1", model: "m1" };
const failedWith = (error: Error): TurnOutcome => ({ type: "failed", error });

/** By the contract; a new outcome or code does not compile before it is decided here. */
const ofOutcome: {
  [T in Exclude<TurnOutcome["type"], "failed">]: [Extract<TurnOutcome, { type: T }>, ExitCode, RegExp | undefined];
} = {
  done: [{ type: "done" }, 0, undefined],
  "round-limit": [{ type: "round-limit", rounds: 200 }, 53, /200 model calls.*--max-rounds/],
  repetition: [{ type: "repetition", tool: "bash", times: 5 }, 53, /bash was called 5 times/],
  budget: [{ type: "budget", limitUsd: 0.5 }, 55, /\$0\.5 .*--max-budget-usd/],
  interrupted: [{ type: "interrupted" }, 130, /Interrupted/],
};

const ofProviderError: Record<ProviderErrorCode, [ExitCode, RegExp]> = {
  auth: [41, /key was refused by http:\/\/localhost:9\/v1.*\n.*CORECODER_API_KEY.*--api-key/],
  quota: [1, /nothing left to spend at http:\/\/localhost:9\/v1/],
  "rate-limit": [1, /http:\/\/localhost:9\/v1 failed/],
  overloaded: [1, /http:\/\/localhost:9\/v1 failed/],
  network: [1, /^The server said no\.\nCheck --base-url \(http:\/\/localhost:9\/v1\)/],
  stale: [1, /The call to .* failed/],
  unreachable: [1, /^The server said no\.$/],
  stalled: [1, /http:\/\/localhost:9\/v1 failed/],
  "broken-stream": [1, /http:\/\/localhost:9\/v1 failed/],
  empty: [1, /m1 answered with nothing/],
  "parameter-refused": [1, /http:\/\/localhost:9\/v1 failed/],
  "context-overflow": [56, /larger than the window of m1.*\n.*\/reset/],
  "not-found": [1, /"m1".*\n.*--model and --base-url/],
  "not-a-stream": [1, /--base-url \(http:\/\/localhost:9\/v1\).*\/v1/],
  "content-filter": [1, /content filter of http:\/\/localhost:9\/v1/],
  "bad-request": [1, /http:\/\/localhost:9\/v1 failed/],
  aborted: [1, /http:\/\/localhost:9\/v1 failed/],
};

describe("the end of a prompt", () => {
  it.each(Object.entries(ofOutcome))("%s has its exit code and its words", (_type, [outcome, code, words]) => {
    expect(exitCodeOf(outcome)).toBe(code);
    const text = describeOutcome(outcome, target);
    if (words === undefined) expect(text).toBeUndefined();
    else expect(text).toMatch(words);
  });

  it.each(Object.entries(ofProviderError))(
    "by the provider error %s has its exit code and says what to do",
    (errorCode, [code, words]) => {
      const outcome = failedWith(new ProviderError(errorCode as ProviderErrorCode, "the server said no"));
      expect(exitCodeOf(outcome)).toBe(code);
      const text = describeOutcome(outcome, target) as string;
      expect(text).toMatch(words);
      expect(text.split("\n").length).toBeLessThanOrEqual(2);
      if (errorCode !== "empty") expect(text.toLowerCase()).toContain("the server said no");
    },
  );

  it("by a sentence of the server's adds no second full stop", () => {
    for (const code of Object.keys(ofProviderError) as ProviderErrorCode[]) {
      expect(describeOutcome(failedWith(new ProviderError(code, "Invalid key.")), target)).not.toContain("..");
    }
  });

  it("by a server's message lets no terminal command and no extra lines through", () => {
    for (const code of Object.keys(ofProviderError) as ProviderErrorCode[]) {
      const text = describeOutcome(
        failedWith(new ProviderError(code, "bad\u001b[2J\r\n\nkey\u0007")),
        target,
      ) as string;
      expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
      expect(text.split("\n").length).toBeLessThanOrEqual(2);
    }
    expect(describeOutcome(failedWith(new Error("bad\u001b[2J key")), target)).toBe("bad key");
  });

  it("by an error of ours says its message as it is", () => {
    expect(describeOutcome(failedWith(new Error("out of memory")), target)).toBe("out of memory");
  });
});

describe("the exit code of an error", () => {
  it.each(Object.values(exitCode))("is %i when it is for the person and says so", (code) => {
    expect(exitCodeOfError(new UserError(code, "x"))).toBe(code);
  });

  it.each([new Error("x"), new ToolError("x"), "text", undefined, null])("is 1 for anything else: %s", (error) => {
    expect(exitCodeOfError(error)).toBe(1);
  });
});

import { describe, expect, it } from "vitest";
import { describeBody, errorFromResponse, errorInStream } from "./provider-errors.ts";

const code = (status: number, body: unknown = "") =>
  errorFromResponse(status, {}, typeof body === "string" ? body : JSON.stringify(body)).code;
/** Google says "quota" for limits of a minute and of a day alike. */
const google = (quotaId: string) => ({
  error: {
    code: 429,
    message: "You exceeded your current quota, please check your plan and billing details.",
    status: "RESOURCE_EXHAUSTED",
    details: [{ violations: [{ quotaId }] }, { retryDelay: "34s" }],
  },
});
const wait = (headers: Record<string, string>, body = "") => errorFromResponse(429, headers, body).retryAfterMs;

describe("an error response", () => {
  it.each([
    [401, "", "auth"],
    [403, "", "auth"],
    [402, "", "quota"],
    [404, "", "not-found"],
    [408, "", "overloaded"],
    [409, "", "overloaded"],
    [429, "", "rate-limit"],
    [429, { error: { code: "insufficient_quota", message: "You exceeded your current quota" } }, "quota"],
    [500, "", "overloaded"],
    [529, "", "overloaded"],
    [400, { error: { message: "bad" } }, "bad-request"],
    [
      400,
      { error: { code: "context_length_exceeded", message: "This model's maximum context length is 8192 tokens" } },
      "context-overflow",
    ],
    [
      400,
      {
        type: "error",
        error: { type: "invalid_request_error", message: "prompt is too long: 208732 tokens > 200000 maximum" },
      },
      "context-overflow",
    ],
    [429, { error: { message: "Request too large: maximum context length" } }, "rate-limit"],
    [429, google("GenerateRequestsPerMinutePerProjectPerModel-FreeTier"), "rate-limit"],
    [429, google("GenerateRequestsPerDayPerProjectPerModel-FreeTier"), "quota"],
    [400, { error: { code: 400, message: "API key not valid. Please pass a valid API key." } }, "auth"],
    [400, { error: { type: "invalid_request_error", message: "Your credit balance is too low" } }, "quota"],
    [400, { error: { code: "content_filter", message: "filtered" } }, "content-filter"],
  ])("%i with %j is %s", (status, body, expected) => {
    expect(code(status, body)).toBe(expected);
  });

  it("says how long to wait: in seconds, milliseconds, as a date, in Google's way or in words, two minutes at most", () => {
    expect(wait({ "retry-after": "3" })).toBe(3_000);
    expect(wait({ "retry-after": "0.5" })).toBe(500);
    expect(wait({ "retry-after-ms": "250", "retry-after": "9" })).toBe(250);
    const dated = wait({ "retry-after": new Date(Date.now() + 10_000).toUTCString() }) ?? 0;
    expect(dated).toBeGreaterThan(8_000);
    expect(dated).toBeLessThanOrEqual(10_000);
    expect(wait({ "retry-after": new Date(Date.now() - 60_000).toUTCString() })).toBe(0);
    expect(wait({}, '{"error":{"details":[{"retryDelay":"34s"}]}}')).toBe(34_000);
    expect(wait({}, "Please try again in 1.2s.")).toBe(1_200);
    expect(wait({}, "Please try again in 20ms.")).toBe(20);
    expect(wait({}, "Please try again in 1m30.5s. Visit …")).toBe(90_500);
    expect(wait({}, "Please try again in 1m.")).toBe(60_000);
    expect(wait({}, "try again in 2h5m0s")).toBe(120_000);
    expect(wait({}, "Please try again in a while.")).toBeUndefined();
    expect(wait({ "retry-after": "86400" })).toBe(120_000);
    expect(wait({ "retry-after": "soon" })).toBeUndefined();
  });

  it("is described by the sentence inside it, a page by its title", () => {
    expect(describeBody('{"error":{"message":"no such model"}}')).toBe("no such model");
    expect(describeBody('{"code":1,"error":"a plain word"}')).toBe("a plain word");
    expect(describeBody('[{"error":{"message":"in an array"}}]')).toBe("in an array");
    expect(describeBody('{"detail":"from a local server"}')).toBe("from a local server");
    expect(describeBody('{"detail":[{"loc":["body","seed"],"msg":"Extra inputs are not permitted"}]}')).toBe(
      "body.seed: Extra inputs are not permitted",
    );
    expect(describeBody('{"error":{"message":"Unknown parameter","param":"seed"}}')).toBe("seed: Unknown parameter");
    expect(describeBody('{"error":{"message":"Unknown parameter: seed","param":"seed"}}')).toBe(
      "Unknown parameter: seed",
    );
    expect(describeBody("<!DOCTYPE html><html><head><title>Sign in</title></head></html>")).toBe(
      'the server answered with an HTML page ("Sign in")',
    );
    expect(describeBody("x".repeat(10_000)).length).toBeLessThan(400);
  });

  it("inside a stream keeps its meaning", () => {
    expect(errorInStream({ type: "overloaded_error", message: "Overloaded" }).code).toBe("overloaded");
    expect(errorInStream({ code: 429, message: "slow down" }).code).toBe("rate-limit");
    expect(errorInStream({ type: "invalid_request_error", message: "no" }).code).toBe("bad-request");
    expect(errorInStream({ code: "context_length_exceeded", message: "too long" }).code).toBe("context-overflow");
    expect(errorInStream({ code: "invalid_prompt", message: "no" }).code).toBe("bad-request");
    expect(errorInStream({ type: "authentication_error", message: "no" }).code).toBe("auth");
    expect(errorInStream({ type: "api_error", message: "the author is not known" }).code).toBe("overloaded");
    expect(errorInStream({ code: "429", message: "Please try again in 2s" })).toMatchObject({
      code: "rate-limit",
      retryAfterMs: 2_000,
    });
  });
});

import { describe, expect } from "vitest";
import { call, fault, type RequestBody, text } from "../../src/testing/index.ts";
import { it } from "../support/world.ts";

function refusal(param: string, message: string): ReturnType<typeof fault> {
  return fault(400, { error: { message, type: "invalid_request_error", param, code: "unsupported_parameter" } });
}

function without(body: RequestBody, ...keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body).filter(([key]) => !keys.includes(key)));
}

describe("an endpoint that refuses an optional field", () => {
  it("gets the same request again without stream_options", async ({ world }) => {
    const model = await world.model([
      refusal("stream_options", "Unrecognized request argument supplied: stream_options"),
      text("ok"),
    ]);
    expect(await world.run(["-p", "hi"], { model })).toMatchObject({ code: 0, stdout: "ok\n" });
    const [first, second] = model.requests.map(({ body }) => body);
    expect(first).toHaveProperty("stream_options");
    expect(second).toEqual(without(first!, "stream_options"));
    expect(model.requests).toHaveLength(2);
  });

  it("gets max_completion_tokens instead of max_tokens", async ({ world }) => {
    const message =
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    const model = await world.model((request) =>
      "max_tokens" in request.body ? refusal("max_tokens", message) : text("ok"),
    );
    expect((await world.run(["-p", "hi", "-m", "some-model", "--max-tokens", "99"], { model })).code).toBe(0);
    const last = model.requests.at(-1)!.body;
    expect(last.max_completion_tokens).toBe(99);
    expect(last).not.toHaveProperty("max_tokens");
    expect(model.requests.length).toBeLessThanOrEqual(2);
  });

  it("gets no temperature, when only the default is supported", async ({ world }) => {
    const message =
      "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.";
    const model = await world.model([
      fault(400, {
        error: { message, type: "invalid_request_error", param: "temperature", code: "unsupported_value" },
      }),
      text("ok"),
    ]);
    expect((await world.run(["-p", "hi", "-m", "some-model", "--temperature", "0"], { model })).code).toBe(0);
    expect(model.requests[0]!.body.temperature).toBe(0);
    expect(model.requests[1]!.body).toEqual(without(model.requests[0]!.body, "temperature"));
  });

  it("is understood when it names the field in words only", async ({ world }) => {
    const model = await world.model([fault(400, { detail: "extra fields not permitted: stream_options" }), text("ok")]);
    expect((await world.run(["-p", "hi"], { model })).code).toBe(0);
    expect(model.requests[1]!.body).not.toHaveProperty("stream_options");
  });

  it("is not asked for it again in the same conversation", async ({ world }) => {
    const model = await world.model([
      refusal("stream_options", "Unrecognized request argument supplied: stream_options"),
      call("bash", { command: "echo hi" }),
      text("ok"),
    ]);
    expect((await world.run(["-p", "hi"], { model })).code).toBe(0);
    expect(model.requests.map(({ body }) => "stream_options" in body)).toEqual([true, false, false]);
  });

  it("is not asked for it again by the next run either", async ({ world }) => {
    const model = await world.model([
      refusal("stream_options", "Unrecognized request argument supplied: stream_options"),
      text("ok"),
      text("ok"),
    ]);
    await world.run(["-p", "hi"], { model });
    await world.run(["-p", "hi"], { model });
    expect(model.requests.map(({ body }) => "stream_options" in body)).toEqual([true, false, false]);
  });

  it("fails after one more request when leaving the field out does not help", async ({ world }) => {
    const model = await world.model(() =>
      refusal("stream_options", "Unrecognized request argument supplied: stream_options"),
    );
    expect((await world.run(["-p", "hi"], { model })).code).toBe(1);
    expect(model.requests).toHaveLength(2);
  });
});

import { describe, expect } from "vitest";
import { assertPairing, call, forever, text } from "../../src/testing/index.ts";
import { resultOf } from "../support/stream-events.ts";
import { it } from "../support/world.ts";

describe("a model that never stops calling tools", () => {
  it("is stopped at the round limit, which is said, with exit 53", async ({ world }) => {
    const model = await world.model((_, index) => call("bash", { command: `echo ${index}` }));
    const result = await world.run(["-p", "go", "--max-rounds", "3"], { model });
    expect(result.code).toBe(53);
    expect(model.requests).toHaveLength(3);
    expect(result.stderr).toMatch(/\b3\b.*round|round.*\b3\b/i);
    expect(result.stderr).toMatch(/max-rounds|CORECODER_MAX_ROUNDS/);
    assertPairing(model.requests);
  });

  it("is stopped by CORECODER_MAX_ROUNDS as well, and machines read error_max_turns", async ({ world }) => {
    const model = await world.model((_, index) => call("bash", { command: `echo ${index}` }));
    const result = await world.run(["-p", "go", "--output-format", "stream-json"], {
      model,
      env: { CORECODER_MAX_ROUNDS: "2" },
    });
    expect(result.code).toBe(53);
    expect(resultOf(result.events)).toMatchObject({ subtype: "error_max_turns", is_error: true, num_turns: 2 });
  });

  it("may go on far beyond fifty rounds by default", async ({ world }) => {
    const model = await world.model((_, index) =>
      index < 60 ? call("bash", { command: `echo ${index}` }) : text("finished"),
    );
    expect(await world.run(["-p", "go"], { model })).toMatchObject({ code: 0, stdout: "finished\n" });
    assertPairing(model.requests.slice(-1));
  });

  it("with the same call and the same result is told so after the third time, then stopped", async ({ world }) => {
    const model = await world.model([forever(call("bash", { command: "echo same" }))]);
    const result = await world.run(["-p", "go", "--output-format", "stream-json"], { model });
    expect(result.code).toBe(53);
    expect(model.requests.length).toBeLessThanOrEqual(11);
    const hint = /identical|same call|same result|repeat/i;
    const saidTo = model.requests.map(({ body }) => hint.test(JSON.stringify(body.messages.slice(2))));
    expect(saidTo.indexOf(true)).toBe(3);
    expect(result.stderr).toMatch(/echo same|bash/);
    expect(resultOf(result.events).is_error).toBe(true);
    assertPairing(model.requests);
  });

  it("with the same call and changing results is left alone", async ({ world }) => {
    const model = await world.model((_, index) => (index < 12 ? call("bash", { command: "date +%N" }) : text("ok")));
    expect((await world.run(["-p", "go"], { model })).code).toBe(0);
  });
});

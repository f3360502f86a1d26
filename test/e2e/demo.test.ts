import { describe, expect } from "vitest";
import { it } from "../support/world.ts";

describe("corecoder demo", () => {
  it("fixes a scratch repository offline without a key, says that the model is scripted, and ends with exit 0", async ({
    world,
  }) => {
    const result = await world.run(["demo"]);
    expect(result.code).toBe(0);
    const all = result.stdout + result.stderr;
    expect(result.stdout.split("\n")[0]).toMatch(/script/i);
    expect(all).toMatch(/^\+.*import|^\+.*require|^\+ /m);
    expect(all).toMatch(/pass/i);
    expect(result.durationMs).toBeLessThan(10_000);
  });

  it("does not use a key or an endpoint that happens to be there", async ({ world }) => {
    const model = await world.model([]);
    expect((await world.run(["demo"], { model })).code).toBe(0);
    expect(model.requests).toHaveLength(0);
  });
});

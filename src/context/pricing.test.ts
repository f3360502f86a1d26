import { describe, expect, test } from "vitest";
import { callCost, createRent, typicalPrices } from "./pricing.ts";

describe("rent", () => {
  test("is due when what was paid reaches one and a half times the price of the move", () => {
    const rent = createRent(typicalPrices);
    // move: 1.5 × (1.25 − 0.1) × 1,000 = 1,725; a call pays 0.1 × 1,000
    for (let call = 1; call <= 17; call++) rent.accrue(1_000);
    expect(rent.isDue(1_000)).toBe(false);
    rent.accrue(1_000);
    expect(rent.isDue(1_000)).toBe(true);
    expect(rent.isDue(2_000)).toBe(false);
    rent.reset();
    expect(rent.isDue(1_000)).toBe(false);
  });

  test("is never due before anything was carried", () => {
    expect(createRent({ ...typicalPrices, cacheRead: 1, cacheWrite: 1 }).isDue(0)).toBe(false);
  });

  test("is due at once without a cache, where moving is free", () => {
    const rent = createRent({ ...typicalPrices, cacheRead: 1, cacheWrite: 1 });
    rent.accrue(1);
    expect(rent.isDue(1_000_000)).toBe(true);
  });

  test("is never due when reads cost next to nothing", () => {
    const rent = createRent({ ...typicalPrices, cacheRead: 0.02, cacheWrite: 1 });
    for (let call = 0; call < 1_000; call++) rent.accrue(100_000);
    expect(rent.isDue(1)).toBe(false);
  });
});

describe("the cost of a call", () => {
  test("counts cached, fresh and output tokens at their own prices", () => {
    // 80,000 × $2 × 0.1 + 20,000 × $2 × 1.25 + 1,000 × $10, per million
    expect(callCost({ cached: 80_000, fresh: 20_000, output: 1_000 }, typicalPrices)).toBeCloseTo(0.076, 10);
  });

  test("is multiplied above a price tier, for the whole call", () => {
    const prices = { ...typicalPrices, tierAt: 100_000, tierFactor: 2 };
    const below = callCost({ cached: 50_000, fresh: 50_000, output: 0 }, prices);
    const above = callCost({ cached: 50_001, fresh: 50_000, output: 0 }, prices);
    expect(below).toBeCloseTo(0.135, 10);
    expect(above / below).toBeCloseTo(2, 4);
  });
});

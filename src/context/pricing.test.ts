import { describe, expect, test } from "vitest";
import { callCost, createRent, idleAfterMs, type Rent, regretAt, rewritePrice, typicalPrices } from "./pricing.ts";

/** A session that can afford anything. */
function rich(prices = typicalPrices): Rent {
  const rent = createRent(prices);
  rent.book({ own: 1e9, whole: 2e9, fresh: 0, entries: 1 });
  return rent;
}

const booked = (own: number, whole: number, prices = typicalPrices) => {
  const rent = createRent(prices);
  rent.book({ own, whole, fresh: 0, entries: 1 });
  rent.carry("archive", 1e9);
  return rent;
};

describe("rent", () => {
  test("is due when what was paid reaches one and a half times the price of the move", () => {
    const rent = rich();
    const price = rewritePrice(typicalPrices, 1_000);
    expect(price).toBeCloseTo(1_150);
    // 1.5 × 1,150 = 1,725; a call pays 0.1 × 1,000
    for (let call = 1; call <= 17; call++) rent.carry("archive", 1_000);
    expect(rent.isDue("archive", price)).toBe(false);
    rent.carry("archive", 1_000);
    expect(rent.isDue("archive", price)).toBe(true);
    expect(rent.isDue("archive", 2 * price)).toBe(false);
    expect(rent.isDue("fold", price), "it was not paid for folding").toBe(false);
    rent.made("archive", price);
    expect(rent.isDue("archive", price)).toBe(false);
  });

  test("is never due before anything was carried", () => {
    expect(rich({ ...typicalPrices, cacheRead: 1, cacheWrite: 1 }).isDue("archive", 0)).toBe(false);
  });

  test("is due at once without a cache, where moving is free", () => {
    const prices = { ...typicalPrices, cacheRead: 1, cacheWrite: 1 };
    const rent = rich(prices);
    rent.carry("archive", 1);
    expect(rent.isDue("archive", rewritePrice(prices, 1_000_000))).toBe(true);
  });

  test("for results is part of that for everything: a fold settles both, archiving its own", () => {
    const rent = rich();
    rent.carry("fold", 30_000);
    rent.carry("archive", 20_000);
    rent.made("archive", 0);
    expect(rent.isDue("fold", 1_000 / 1.5)).toBe(true);
    expect(rent.isDue("fold", 1_001 / 1.5)).toBe(false);
    rent.carry("archive", 20_000);
    rent.made("fold", 0);
    expect([rent.isDue("fold", 0), rent.isDue("archive", 0)]).toEqual([false, false]);
  });
});

describe("the books", () => {
  test.each([
    ["a fiftieth where reads cost next to nothing", 0.02, 0.02],
    ["a fiftieth where they are cheap", 0.05, 0.02],
    ["seven hundredths at the usual price", 0.1, 0.07],
  ])("let a session cost %s more than keeping everything", (_name, cacheRead, regret) => {
    const prices = { ...typicalPrices, cacheRead };
    expect(regretAt(prices)).toBe(regret);
    expect(booked(100_000, 100_000, prices).isDue("archive", 99_998 * regret)).toBe(true);
    expect(booked(100_000, 100_000, prices).isDue("archive", 100_002 * regret)).toBe(false);
  });

  test("let it spend what it has saved", () => {
    const rent = booked(60_000, 100_000);
    expect(rent.canSpare(40_000)).toBe(true);
    expect(rent.canSpare(40_001)).toBe(false);
    expect(rent.isDue("archive", 47_000)).toBe(true);
    rent.spend(40_000);
    expect(rent.canSpare(1)).toBe(false);
    expect(rent.isDue("archive", 7_000)).toBe(true);
    expect(rent.isDue("archive", 7_001)).toBe(false);
  });

  test("know what moves have cost", () => {
    const rent = booked(60_000, 100_000);
    rent.made("archive", 40_000);
    expect(rent.canSpare(1)).toBe(false);
  });

  test("are handed on whole", () => {
    const rent = booked(60_000, 100_000);
    rent.carry("fold", 123);
    const other = createRent(typicalPrices);
    other.state = JSON.parse(JSON.stringify(rent.state));
    expect(other.state).toEqual(rent.state);
    expect(other.booked).toBe(1);
    expect(other.isDue("archive", 47_000)).toBe(true);
    expect(other.isDue("archive", 47_001)).toBe(false);
    // a log that says nothing of it
    other.state = [];
    expect(other.state).toEqual([0, 0, 0, 0, 0]);
  });
});

test("a person counts as away a little before the vendor forgets", () => {
  expect(idleAfterMs(300_000)).toBe(255_000);
  expect(idleAfterMs(0)).toBe(10_000);
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

import { expect, test } from "vitest";
import { withTimeLimit } from "./time-limit.ts";

test("work that ends in time answers", () => {
  expect(withTimeLimit(1_000, () => 42)).toBe(42);
});

test("a regular expression that never ends is stopped", () => {
  expect(withTimeLimit(50, () => /^(a+)+$/.test(`${"a".repeat(60)}!`))).toBeUndefined();
});

test("what the work throws comes out", () => {
  expect(() =>
    withTimeLimit(1_000, () => {
      throw new RangeError("mine");
    }),
  ).toThrow("mine");
});

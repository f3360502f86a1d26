import { expect, it } from "vitest";
import { runWithin } from "./run-within.ts";

it("ends what does not end by itself, and gives everything else as it is", async () => {
  const endless = () => /(a+)+$/.test(`${"a".repeat(40)}b`);
  expect(await runWithin(30, endless)).toBe("too long");
  expect(await runWithin(1_000, () => [1, 2])).toEqual([1, 2]);
  await expect(
    runWithin(1_000, () => {
      throw new RangeError("no");
    }),
  ).rejects.toThrow(RangeError);
});

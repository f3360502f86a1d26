import { describe, expect, test } from "vitest";
import { createTokenMeter } from "./token-meter.ts";

describe("the token meter", () => {
  test("believes the estimate until the vendor has counted", () => {
    expect(createTokenMeter().scaled(1_000)).toBe(1_000);
  });

  test("corrects what comes next by how far it was off", () => {
    const meter = createTokenMeter();
    meter.observe(1_000, 1_400);
    expect(meter.scaled(1_000)).toBe(1_400);
    expect(meter.scaled(2_000)).toBe(2_800);
    meter.observe(2_000, 1_800);
    expect(meter.scaled(1_000)).toBe(900);
  });

  test.each([
    ["a vendor that leaves out cached tokens", 10_000, 30, 5_000],
    ["a proxy that counts characters", 10_000, 4_000_000, 30_000],
  ])("is not turned upside down by %s", (_name, estimated, reported, expected) => {
    const meter = createTokenMeter();
    meter.observe(estimated, reported);
    expect(meter.scaled(10_000)).toBe(expected);
  });

  test("learns nothing from no count, or from a request too small to tell", () => {
    const meter = createTokenMeter();
    meter.observe(10_000, 0);
    meter.observe(100, 300);
    expect(meter.scaled(1_000)).toBe(1_000);
  });
});

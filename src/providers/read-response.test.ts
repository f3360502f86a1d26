import { afterEach, expect, it, vi } from "vitest";
import { createIdleTimer } from "./read-response.ts";

afterEach(() => void vi.useRealTimers());

it("the first data may take longer than what follows", () => {
  vi.useFakeTimers();
  const timer = createIdleTimer(120_000, 300_000);
  const expired = vi.fn();
  timer.onExpire(expired);
  vi.advanceTimersByTime(299_000);
  expect([expired.mock.calls.length, timer.limitMs]).toEqual([0, 300_000]);
  for (let i = 0; i < 2; i++) {
    timer.refresh();
    vi.advanceTimersByTime(119_000);
  }
  expect([expired.mock.calls.length, timer.limitMs]).toEqual([0, 120_000]);
  vi.advanceTimersByTime(1_000);
  expect(expired).toHaveBeenCalledOnce();
  timer.stop();
});

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createSyncSoon } from "./sync-soon.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function create() {
  const waiting: ((error?: Error) => void)[] = [];
  const results: (string | undefined)[] = [];
  let started = 0;
  const disk = createSyncSoon({
    withinMs: 50,
    sync(done) {
      started++;
      waiting.push(done);
    },
    onDone: (error) => void results.push(error?.message),
  });
  return {
    disk,
    results,
    finish: (error?: Error) => waiting.shift()?.(error),
    get started() {
      return started;
    },
  };
}
/** Whether a promise has settled by now. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  promise.then(() => (settled = true));
  await vi.advanceTimersByTimeAsync(0);
  return settled;
}

describe("syncing soon", () => {
  it("happens once for many writes, within the time, and not again", () => {
    const it = create();
    it.disk.touch();
    vi.advanceTimersByTime(20);
    it.disk.touch();
    expect(it.started).toBe(0);
    vi.advanceTimersByTime(30);
    expect(it.started).toBe(1);
    it.finish();
    vi.advanceTimersByTime(1_000);
    expect([it.started, it.disk.isClean, it.results]).toEqual([1, true, [undefined]]);
  });

  it("is never done twice at a time; what came meanwhile is synced within its own time", () => {
    const it = create();
    it.disk.touch();
    vi.advanceTimersByTime(50);
    it.disk.touch();
    vi.advanceTimersByTime(45);
    expect([it.started, it.disk.isClean]).toEqual([1, false]);
    it.finish();
    vi.advanceTimersByTime(5);
    expect(it.started).toBe(2);
  });

  it("can be waited for: at once, and including what a sync under way does not cover", async () => {
    const it = create();
    it.disk.touch();
    const first = it.disk.settle();
    await vi.advanceTimersByTimeAsync(0);
    expect(it.started).toBe(1);
    it.disk.touch();
    const [second, third] = [it.disk.settle(), it.disk.settle()];
    it.finish();
    expect([await isSettled(first), await isSettled(second), it.started]).toEqual([true, false, 2]);
    it.finish();
    expect([await isSettled(second), await isSettled(third), it.started]).toEqual([true, true, 2]);
  });

  it("need not be waited for when nothing was written", async () => {
    const it = create();
    await it.disk.settle();
    expect(it.started).toBe(0);
  });

  it("reports a failure and settles all the same", async () => {
    const it = create();
    it.disk.touch();
    const settled = it.disk.settle();
    await vi.advanceTimersByTimeAsync(0);
    it.finish(new Error("EIO"));
    await settled;
    expect(it.results).toEqual(["EIO"]);
  });

  it("does not happen when it was done in another way", () => {
    const it = create();
    it.disk.touch();
    it.disk.clear();
    vi.advanceTimersByTime(1_000);
    expect([it.started, it.disk.isClean]).toEqual([0, true]);
  });
});

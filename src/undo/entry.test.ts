import { describe, expect, it } from "vitest";
import { isSettledAt } from "./entry.ts";

const row = (ctimeMs: number) => ({ mode: 0o100644, size: 1, mtimeMs: 0, ctimeMs, ino: 1 });
const now = 1_700_000_000_123.456;

describe("what a look found is settled", () => {
  it.each([
    ["long after the last change", now - 60_000.5, true],
    ["a moment after it", now - 100.25, true],
    ["within a tick of the clock", now - 20.25, false],
    ["at once", now, false],
    ["just before a change, on a clock that is a little ahead", now + 20.25, false],
    ["although the change is in the future: the clock was set back", now + 60_000.5, true],
    ["not on a file system of whole seconds, a second later", Math.floor(now / 1000) * 1000 - 1000, false],
    ["on a file system of whole seconds, three seconds later", Math.floor(now / 1000) * 1000 - 3000, true],
  ])("%s", (_name, changedMs, isSettled) => {
    expect(isSettledAt(now, row(changedMs))).toBe(isSettled);
  });
});

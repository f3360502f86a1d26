import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { finished, noon, saveLog } from "../../../test/support/saved-logs.ts";
import { prompt } from "../../../test/support/session-entries.ts";
import { makeTempFolder, removeTempFolder } from "../../../test/support/temp.ts";
import type { ListedSession } from "../../contracts/saved-session.ts";
import { scanFolders } from "../../platform/scan-folders.ts";
import { acquireLock } from "../log/session-lock.ts";
import { removeSession, sessionBytes } from "./remove-session.ts";
import { planRetention } from "./retention.ts";

const day = 24 * 60 * 60 * 1000;
const sized = (id: string, daysAgo: number, bytes: number, state = "finished") => ({
  session: { id, endedAt: noon - daysAgo * day, state } as ListedSession,
  bytes,
});
const leaving = (...args: Parameters<typeof planRetention>) =>
  planRetention(...args).map(({ session, because }) => `${session.id} ${because}`);

describe("what has to go", () => {
  const sessions = [
    sized("new", 1, 100),
    sized("middle", 20, 100),
    sized("old", 40, 100),
    sized("open", 90, 100, "open"),
  ];

  it("is nothing without a limit", () => {
    expect(leaving(sessions, {}, noon)).toEqual([]);
  });

  it("is what was not used for longer than the limit, oldest first, never what is open", () => {
    expect(leaving(sessions, { maxAgeDays: 10 }, noon)).toEqual(["old age", "middle age"]);
    expect(leaving(sessions, { maxAgeDays: 40 }, noon)).toEqual([]);
    expect(leaving(sessions, { maxAgeDays: 0 }, noon)).toEqual(["old age", "middle age", "new age"]);
  });

  it("is the oldest until the rest fits", () => {
    expect(leaving(sessions, { maxTotalBytes: 400 }, noon)).toEqual([]);
    expect(leaving(sessions, { maxTotalBytes: 399 }, noon)).toEqual(["old size"]);
    expect(leaving(sessions, { maxTotalBytes: 0 }, noon)).toEqual(["old size", "middle size", "new size"]);
    expect(leaving(sessions, { maxTotalBytes: 250, maxAgeDays: 30 }, noon)).toEqual(["old age", "middle size"]);
  });

  it("never is more than needed, and always enough unless the rest is open", () => {
    const session = fc.tuple(fc.nat(100), fc.nat(50), fc.boolean());
    fc.assert(
      fc.property(fc.array(session, { maxLength: 8 }), fc.nat(300), (given, maxTotalBytes) => {
        const all = given.map(([age, bytes, isOpen], n) => sized(String(n), age, bytes, isOpen ? "open" : "finished"));
        const plan = planRetention(all, { maxTotalBytes }, noon);
        const left = all.filter((each) => !plan.some(({ session: gone }) => gone.id === each.session.id));
        const total = left.reduce((sum, { bytes }) => sum + bytes, 0);
        expect(total <= maxTotalBytes || left.every(({ session: kept }) => kept.state === "open")).toBe(true);
        const last = plan.at(-1);
        if (last) expect(total + last.bytes).toBeGreaterThan(maxTotalBytes);
      }),
    );
  });
});

describe("removing a session", () => {
  let state: string;
  beforeEach(() => {
    state = makeTempFolder();
  });
  afterEach(() => removeTempFolder(state));

  function withBelongings(id: string): string {
    const log = saveLog(state, { id, entries: [prompt("m1", "hi"), finished()] });
    const folder = dirname(log);
    mkdirSync(join(folder, id));
    writeFileSync(join(folder, id, "kept.txt"), "x".repeat(1_000));
    writeFileSync(join(folder, `${id}.damaged-1`), "y".repeat(500));
    return log;
  }
  const beside = () => scanFolders(join(state, "sessions"), ".jsonl").beside;

  it("takes all that belongs to it, and nothing else", () => {
    const log = withBelongings("one");
    withBelongings("one-more");
    writeFileSync(join(dirname(log), "allowed.json"), "{}");
    const outside = join(state, "precious");
    writeFileSync(outside, "stays");
    symlinkSync(outside, join(dirname(log), "one", "link"));
    expect(sessionBytes(log, beside())).toBeGreaterThan(1_500);
    expect(removeSession(log, beside())).toBe("removed");
    expect(readdirSync(dirname(log)).toSorted()).toEqual([
      "allowed.json",
      "one-more",
      "one-more.damaged-1",
      "one-more.jsonl",
    ]);
    expect(existsSync(outside)).toBe(true);
  });

  it("leaves one that is open", () => {
    const log = withBelongings("one");
    const lock = acquireLock(log);
    expect(removeSession(log, beside())).toBe("open");
    expect(existsSync(log)).toBe(true);
    if (lock.held) lock.release();
  });
});

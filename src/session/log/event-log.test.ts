import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { head, notice } from "../../../test/support/session-entries.ts";
import { makeTempFolder, removeTempFolder } from "../../../test/support/temp.ts";
import { ProviderError } from "../../contracts/errors.ts";
import { emptyUsage } from "../../contracts/message.ts";
import type { SessionEntry } from "../../contracts/session.ts";
import { createEventLog, newSessionId } from "./event-log.ts";
import { encodeRecord } from "./log-record.ts";
import { readLog } from "./read-log.ts";

let state: string;
let folder: string;
let file: string;
let troubles: string[];
beforeEach(() => {
  state = makeTempFolder();
  folder = join(state, "sessions/project");
  file = join(folder, "s1.jsonl");
  troubles = [];
});
afterEach(() => {
  vi.useRealTimers();
  removeTempFolder(state);
});

const open = () => {
  const told = troubles;
  return createEventLog({ id: "s1", folder, onTrouble: (problem) => void told.push(problem) });
};
const lines = () =>
  readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
/** The texts of notices, and what else there is by its kind. */
const read = () =>
  [...readLog(file)].map((found) => {
    if (!("entry" in found)) return found.kind;
    const { entry } = found;
    return entry.type === "event" && entry.event.type === "notice" ? entry.event.text : entry.type;
  });
const numbers = () => [...readLog(file)].map((found) => ("entry" in found ? found.seq : found.kind));
const append = (log: { append(entry: SessionEntry): void }, ...texts: string[]) => {
  for (const text of texts) log.append(notice(text));
};

describe("the session log", () => {
  it("has each entry on disk when append returns, one line each, numbered in order", () => {
    const log = open();
    const texts = ["one", "two\nlines", "three \u2028 \ud83d\ude00 \u0000"];
    texts.forEach((text, index) => {
      append(log, text);
      expect(lines().map((line) => line.event.text)).toEqual(texts.slice(0, index + 1));
    });
    expect(lines().map((line) => line.seq)).toEqual([0, 1, 2]);
    expect(readFileSync(file, "utf8").split("\n")).toHaveLength(4);
    log.close();
  });

  it("stamps every entry with the time and keeps its own fields", () => {
    const before = Date.now();
    open().append(head("s1"));
    const [line] = lines();
    expect(line).toMatchObject(head("s1"));
    expect(line.time).toBeGreaterThanOrEqual(before);
    expect(line.time).toBeLessThanOrEqual(Date.now());
  });

  it("never stamps a record earlier than the one before it, although the clock goes back", () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const times: number[] = [];
    for (const [session, now] of [
      [0, 5_000],
      [0, 3_000],
      [1, 1_000],
      [1, 9_000],
    ] as const) {
      vi.setSystemTime(now);
      const log = open();
      append(log, `run ${session}`);
      log.close();
      times.push(lines().at(-1).time);
    }
    expect(times).toEqual([5_000, 5_000, 5_000, 9_000]);
  });

  it("writes an entry of several megabytes whole", () => {
    const text = "é".repeat(3_000_000);
    const log = open();
    append(log, text, "after");
    expect(read().map((one) => one.length)).toEqual([text.length, 5]);
    log.close();
  });

  it("makes no file before there is something to write", async () => {
    const log = open();
    await log.flush();
    log.close();
    expect(existsSync(folder)).toBe(false);
  });

  it("is private whatever the umask: folders 0700, the file 0600", () => {
    const umask = process.umask(0);
    try {
      append(open(), "x");
    } finally {
      process.umask(umask);
    }
    const modes = [join(state, "sessions"), folder, file].map((path) => statSync(path).mode & 0o777);
    expect(modes).toEqual([0o700, 0o700, 0o600]);
  });

  it("keeps the message of an error, which plain JSON would lose", () => {
    const outcome = { type: "failed", error: new ProviderError("network", "connection refused") } as const;
    const totals = { rounds: 1, usage: emptyUsage, costUsd: null, durationMs: 1, apiMs: 1, denials: [] };
    open().append({ type: "event", event: { type: "turn.finished", outcome, totals } });
    expect(lines()[0].event.outcome.error).toEqual({ name: "ProviderError", message: "connection refused" });
  });

  it("can be closed twice, before anything was written, and written to again", async () => {
    const log = open();
    log.close();
    append(log, "a");
    log.close();
    log.close();
    append(log, "b");
    await log.flush();
    log.close();
    expect([numbers(), troubles]).toEqual([[0, 1], []]);
  });

  it("leaves out an entry that is no JSON, says so, and goes on", () => {
    const log = open();
    append(log, "before");
    log.append({ type: "request.prefix", system: "", tools: [1n] });
    append(log, "after");
    expect([read(), numbers()]).toEqual([
      ["before", "after"],
      [0, 1],
    ]);
    expect(troubles).toEqual([expect.stringMatching(/request\.prefix.*BigInt/)]);
  });
});

describe("a log that is continued", () => {
  const write = (...pieces: (string | Buffer)[]) => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, Buffer.concat(pieces.map((piece) => Buffer.from(piece as string))));
  };
  const record = (seq: number, text: string) => encodeRecord({ seq, time: 10 + seq, entry: notice(text) });

  it("goes on counting", () => {
    append(open(), "first run", "still");
    append(open(), "second run");
    expect([read(), numbers(), troubles]).toEqual([["first run", "still", "second run"], [0, 1, 2], []]);
  });

  it("may be of version 1, and may lack its last line end", () => {
    const old = [0, 1, 2].map((seq) => JSON.stringify({ seq, time: 5, ...notice(`old ${seq}`) })).join("\n");
    write(old);
    append(open(), "new");
    expect([read(), numbers(), troubles]).toEqual([["old 0", "old 1", "old 2", "new"], [0, 1, 2, 3], []]);
  });

  it("finds its last record behind damage of any size", () => {
    write(record(0, "a"), record(41, "b"), `${"garbage\n".repeat(100_000)}`);
    append(open(), "c");
    expect([numbers()[0], numbers()[1], numbers().at(-1)]).toEqual([0, 41, 42]);
  });

  it("has a torn end moved beside it, and the person is told", () => {
    const torn = record(2, "never finished").subarray(0, 50);
    write(record(0, "a"), record(1, "b"), torn);
    append(open(), "c");
    expect([read(), numbers()]).toEqual([
      ["a", "b", "c"],
      [0, 1, 2],
    ]);
    const beside = join(folder, "s1.damaged-1");
    expect(readFileSync(beside, "utf8")).toBe(
      `# 50 bytes from offset ${record(0, "a").length * 2} (torn-tail)\n${torn}\n`,
    );
    expect(statSync(beside).mode & 0o777).toBe(0o600);
    expect(troubles).toEqual([
      expect.stringMatching(/s1\.jsonl ended in the middle of a record; those 50 bytes .*s1\.damaged-1/),
    ]);
  });

  it("keeps every torn end it ever had", () => {
    for (let time = 1; time <= 3; time++) {
      const log = open();
      append(log, `run ${time}`);
      log.close();
      writeFileSync(file, `torn ${time}`, { flag: "a" });
    }
    append(open(), "last");
    expect(read()).toEqual(["run 1", "run 2", "run 3", "last"]);
    const kept = [1, 2, 3].map((n) => readFileSync(join(folder, `s1.damaged-${n}`), "utf8").split("\n")[1]);
    expect(kept).toEqual(["torn 1", "torn 2", "torn 3"]);
  });

  it("loses no record that stands right before the torn end, on the same line", () => {
    const first = record(0, "a");
    first[first.length - 1] = "X".charCodeAt(0);
    write(first, record(1, "b").subarray(0, 30));
    append(open(), "c");
    expect([read(), numbers()]).toEqual([
      ["a", "c"],
      [0, 1],
    ]);
    expect(readFileSync(join(folder, "s1.damaged-1"), "utf8")).toContain(`X${record(1, "b").subarray(0, 30)}`);
  });

  it.each(["", "[]", "[]\n", "\0\0\0", "{", "\n\n"])("may have held only %j before", (content) => {
    write(content);
    append(open(), "a", "b");
    const kinds = numbers();
    expect(kinds.slice(-2)).toEqual([0, 1]);
  });

  it("is left alone when a later version wrote it", () => {
    const later = `${JSON.stringify({ seq: 0, time: 1, ...head("s1"), version: 3 })}\n`;
    write(later);
    append(open(), "a", "b");
    expect(readFileSync(file, "utf8")).toBe(later);
    expect(troubles).toEqual([expect.stringContaining("later version of corecoder")]);
  });
});

describe("a log that is deleted while it is written", () => {
  const folders = () => [
    () => rmSync(file),
    () => rmSync(folder, { recursive: true }),
    () => rmSync(join(state, "sessions"), { recursive: true }),
  ];

  it.each([0, 1, 2])("is whole again with the next record (%d)", (which) => {
    const log = open();
    append(log, "a", "b");
    folders()[which]?.();
    append(log, "c");
    append(log, "d");
    log.close();
    expect([read(), numbers()]).toEqual([
      ["a", "b", "c", "d"],
      [0, 1, 2, 3],
    ]);
    expect(troubles).toEqual([expect.stringMatching(/s1\.jsonl was deleted or replaced while in use/)]);
    expect([statSync(folder).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600]);
  });

  it("is whole again at the end of the turn, also without another record", async () => {
    const log = open();
    append(log, "a", "b");
    rmSync(join(state, "sessions"), { recursive: true });
    await log.flush();
    expect(read()).toEqual(["a", "b"]);
    rmSync(join(state, "sessions"), { recursive: true });
    log.close();
    expect(read()).toEqual(["a", "b"]);
  });

  it("gets only what is missing when an older copy took its place", () => {
    const log = open();
    append(log, "a", "b");
    const copy = readFileSync(file);
    append(log, "c");
    writeFileSync(`${file}.new`, copy);
    renameSync(`${file}.new`, file);
    append(log, "d");
    expect([read(), numbers()]).toEqual([
      ["a", "b", "c", "d"],
      [0, 1, 2, 3],
    ]);
  });

  it("keeps records of kinds that this version does not know", () => {
    mkdirSync(folder, { recursive: true });
    const later = { type: "of a later version" } as unknown as SessionEntry;
    writeFileSync(file, encodeRecord({ seq: 0, time: 1, entry: later }));
    const log = open();
    append(log, "a");
    rmSync(file);
    append(log, "b");
    expect(lines().map(({ type }) => type)).toEqual(["of a later version", "event", "event"]);
  });

  it("and cannot be made again at once is written when that is possible", () => {
    const log = open();
    append(log, "a");
    rmSync(join(state, "sessions"), { recursive: true });
    writeFileSync(join(state, "sessions"), "in the way");
    append(log, "b", "c");
    expect(troubles).toHaveLength(1);
    rmSync(join(state, "sessions"));
    append(log, "d");
    expect([read(), numbers()]).toEqual([
      ["a", "b", "c", "d"],
      [0, 1, 2, 3],
    ]);
    expect(troubles).toEqual([
      expect.stringContaining("cannot be written"),
      expect.stringContaining("deleted or replaced"),
      expect.stringContaining("is written again"),
    ]);
  });
});

describe("a log that cannot be written", () => {
  it("is told about once, with the folder, and nothing is thrown", async () => {
    writeFileSync(join(state, "sessions"), "in the way");
    const log = open();
    append(log, "one", "two", "three");
    await log.flush();
    log.close();
    expect(troubles).toEqual([expect.stringContaining(folder)]);
    expect(troubles[0]).toMatch(/ENOTDIR|EEXIST/);
  });

  it("is written, in order, as soon as it can be, and that is told, too", async () => {
    writeFileSync(join(state, "sessions"), "in the way");
    const log = open();
    append(log, "one", "two");
    rmSync(join(state, "sessions"));
    await log.flush();
    expect([read(), numbers()]).toEqual([
      ["one", "two"],
      [0, 1],
    ]);
    append(log, "three");
    expect(read()).toEqual(["one", "two", "three"]);
    expect(troubles).toEqual([
      expect.stringContaining("cannot be written"),
      expect.stringContaining("is written again"),
    ]);
  });

  it("stamps what waited with the time when it happened", () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    writeFileSync(join(state, "sessions"), "in the way");
    const log = open();
    vi.setSystemTime(1_000);
    append(log, "one");
    rmSync(join(state, "sessions"));
    vi.setSystemTime(2_000);
    append(log, "two");
    expect(lines().map(({ time }) => time)).toEqual([1_000, 2_000]);
  });

  it("because the disk is full is told about once", () => {
    mkdirSync(folder, { recursive: true });
    symlinkSync("/dev/full", file);
    const log = open();
    append(log, "one", "two");
    log.close();
    expect(troubles).toEqual([expect.stringContaining("ENOSPC")]);
  });

  it.skipIf(process.getuid?.() === 0)("in a read-only folder is told about once, and nothing is thrown", () => {
    mkdirSync(dirname(folder));
    chmodSync(dirname(folder), 0o500);
    const log = open();
    append(log, "one", "two");
    expect(troubles).toEqual([expect.stringContaining("EACCES")]);
  });

  it("leaves nothing open", async () => {
    const openFiles = () => readdirSync("/proc/self/fd").length;
    const before = openFiles();
    for (let n = 0; n < 20; n++) {
      const log = open();
      append(log, "a");
      rmSync(file);
      append(log, "b");
      await log.flush();
      log.close();
    }
    expect(openFiles()).toBeLessThan(before + 5);
  });
});

describe("a session's id", () => {
  it("sorts by time as text", () => {
    const dates = fc.date({ min: new Date("2020-01-01"), max: new Date("2090-01-01"), noInvalidDate: true });
    fc.assert(
      fc.property(dates, dates, (a, b) => {
        const [first, second] = [newSessionId(a, "x"), newSessionId(b, "x")];
        if (Math.floor(a.getTime() / 1000) < Math.floor(b.getTime() / 1000)) expect(first < second).toBe(true);
      }),
    );
    expect(newSessionId(new Date("2026-03-04T05:06:07.890Z"), "abc")).toBe("20260304-050607-abc");
  });
});

import { createHash } from "node:crypto";
import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 as zlibCrc32 } from "node:zlib";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { anyEntry, head, notice, prompt } from "../../../test/support/session-entries.ts";
import { makeTempFolder, removeTempFolder } from "../../../test/support/temp.ts";
import { UserError } from "../../contracts/errors.ts";
import type { SessionEntry } from "../../contracts/session.ts";
import { crc32 } from "./crc32.ts";
import { encodeRecord, maxRecordBytes } from "./log-record.ts";
import { type LogDamage, type LogRecord, readLog, scanLog } from "./read-log.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = makeTempFolder();
  path = join(folder, "s1.jsonl");
});
afterEach(() => removeTempFolder(folder));

const encode = (entries: readonly SessionEntry[]): Buffer[] =>
  entries.map((entry, seq) => encodeRecord({ seq, time: 1_000 + seq, entry }));

function read(content: Uint8Array | string): { records: LogRecord[]; damage: LogDamage[] } {
  writeFileSync(path, content);
  const found = [...readLog(path)];
  return {
    records: found.filter((one) => "entry" in one),
    damage: found.filter((one) => "kind" in one),
  };
}

/** What JSON makes of it. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const entriesOf = ({ records }: { records: LogRecord[] }) => records.map(({ entry }) => entry);
const version1 = (entries: readonly object[]) =>
  entries.map((entry, seq) => `${JSON.stringify({ seq, time: 1_000 + seq, ...entry })}\n`).join("");
const oldHead = { type: "session", version: 1, id: "s1", cwd: "/x", model: "m", program: "corecoder 0" };

describe("the checksum", () => {
  it("is the CRC-32 that everybody else computes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat(100), (bytes, cut) => {
        const end = Math.min(cut, bytes.length);
        expect(crc32(bytes, end)).toBe(zlibCrc32(bytes.subarray(0, end)));
      }),
    );
  });

  it("is in the line, with the length, behind everything it covers", () => {
    const line = encodeRecord({ seq: 3, time: 5, entry: notice("é") }).toString();
    expect(line).toMatch(/^\{"seq":3,"time":5,"type":"event",.*,"sum":"[0-9a-f]{16}"\}\n$/);
    const covered = Buffer.from(line.slice(0, line.lastIndexOf(',"sum"')));
    const sum = JSON.parse(line).sum;
    expect(Number.parseInt(sum.slice(0, 8), 16)).toBe(covered.length);
    expect(Number.parseInt(sum.slice(8), 16)).toBe(zlibCrc32(covered));
  });
});

describe("a log", () => {
  it("gives back any entries, with number, time and place", () => {
    fc.assert(
      fc.property(fc.array(anyEntry, { maxLength: 12 }), (entries) => {
        const lines = encode(entries);
        const content = Buffer.concat(lines);
        const { records, damage } = read(content);
        expect(damage).toEqual([]);
        expect(entriesOf({ records })).toEqual(plain(entries));
        records.forEach(({ seq, time, offset, bytes }, index) => {
          expect([seq, time]).toEqual([index, 1_000 + index]);
          expect(content.subarray(offset, offset + bytes + 1)).toEqual(lines[index]);
        });
      }),
    );
  });

  it("is lines of JSON, one a record", () => {
    fc.assert(
      fc.property(anyEntry, (entry) => {
        const line = encodeRecord({ seq: 0, time: 0, entry }).toString();
        expect(line.indexOf("\n")).toBe(line.length - 1);
        const { seq: _seq, time: _time, sum: _sum, ...rest } = JSON.parse(line);
        expect(rest).toEqual(plain(entry));
      }),
    );
  });

  it("may be empty, or end without a line end", () => {
    expect(read("")).toEqual({ records: [], damage: [] });
    const content = Buffer.concat(encode([head("s1"), notice("last")]));
    expect(read(content.subarray(0, -1))).toMatchObject({ records: [{}, { entry: notice("last") }], damage: [] });
  });

  it("may have been given other line ends and blank lines", () => {
    const text = Buffer.concat(encode([head("s1"), notice("a")])).toString();
    expect(read(`\n\n${text.replaceAll("\n", "\r\n  \n")}`)).toMatchObject({ records: [{}, {}], damage: [] });
  });

  it("skips kinds of entries that it does not know", () => {
    const later = { type: "of a later version", more: [1] } as unknown as SessionEntry;
    const content = Buffer.concat(encode([head("s1"), later, notice("a")]));
    expect(read(content)).toMatchObject({ records: [{ seq: 0 }, { seq: 2 }], damage: [] });
    expect([...scanLog(path)][1]).toMatchObject({ type: "foreign", state: "unknown" });
  });

  it("does not believe an entry that is none, although its sum is right", () => {
    const wrong = [
      { type: "message", message: { id: "m1", role: "king", parts: [] } },
      { type: "kept", handle: "#1" },
    ];
    const content = Buffer.concat(encode([head("s1"), ...(wrong as unknown as SessionEntry[]), notice("a")]));
    const { records, damage } = read(content);
    expect(records).toHaveLength(2);
    expect(damage.map(({ kind }) => kind)).toEqual(["not-an-entry", "not-an-entry"]);
  });

  it("counts a record once that stands there twice", () => {
    const [first, second, third] = encode([head("s1"), notice("a"), notice("b")]) as [Buffer, Buffer, Buffer];
    expect(read(Buffer.concat([first, second, second, third]))).toMatchObject({
      records: [{ seq: 0 }, { seq: 1 }, { seq: 2 }],
      damage: [],
    });
  });

  it("is read in little memory, however long a line is", () => {
    const before = Buffer.concat(encode([head("s1"), notice("before")]));
    const huge = 1024 ** 3;
    writeFileSync(path, before);
    truncateSync(path, before.length + huge);
    writeFileSync(path, Buffer.concat([Buffer.from("\n"), ...encode([notice("after")])]), { flag: "a" });
    const used = process.memoryUsage().rss;
    const found = [...readLog(path)];
    expect(found).toMatchObject([
      {},
      { entry: notice("before") },
      { type: "damage", kind: "too-long", offset: before.length, bytes: huge },
      { entry: notice("after") },
    ]);
    expect(process.memoryUsage().rss - used).toBeLessThan(4 * maxRecordBytes);
  });

  it("refuses a record that would be too long to be read back", () => {
    const entry = notice("x".repeat(maxRecordBytes));
    expect(() => encodeRecord({ seq: 0, time: 0, entry })).toThrow(/too long/);
  });
});

describe("a log of another version", () => {
  it("is read when it is version 1, which has no sums", () => {
    const entries = [oldHead, prompt("m1", "hello"), notice("n")];
    expect(entriesOf(read(version1(entries)))).toEqual(entries);
  });

  it("is read when it is version 1 and was continued by this one", () => {
    const more = encodeRecord({ seq: 2, time: 9, entry: notice("new") });
    const { records, damage } = read(Buffer.concat([Buffer.from(version1([oldHead, notice("old")])), more]));
    expect([records.map(({ seq }) => seq), damage]).toEqual([[0, 1, 2], []]);
  });

  it.each([
    "null",
    "[]",
    "42",
    "{",
    '{"no":"type"}',
    '{"type":"message","message":{"id":"x","role":"king","parts":[]}}',
    '{"type":"message","message":{"id":"x","role":"user","parts":[{"type":"text"}]}}',
    '{"type":"message","message":{"id":"x","role":"user","parts":[{"type":"constructor"}]}}',
    '{"type":"edits","edits":[{"type":"fold","through":"m1"}]}',
    '{"type":"event","event":{"type":"tool.started"}}',
    '{"type":"undo","what":"all","files":[]}',
    '{"type":"session","version":2,"id":"x","cwd":"/","model":"m","program":"p"}',
  ])("of version 1 does not believe %s", (line) => {
    const { records, damage } = read(`${version1([oldHead])}${line}\n${version1([notice("after")])}`);
    expect(records).toHaveLength(2);
    expect(damage).toMatchObject([{ kind: "not-an-entry", bytes: line.length }]);
  });

  it.each([3, 4, 2026])("is refused by name when it is version %d", (version) => {
    const later = { ...oldHead, version, program: "corecoder 9.1" };
    const problem =
      /s1\.jsonl was written by a later version of corecoder \(corecoder 9\.1\).*format \d+.*[Uu]pdate corecoder/;
    expect(() => read(version1([later, notice("x")]))).toThrow(problem);
    expect(() => read(Buffer.concat(encode([later as unknown as SessionEntry])))).toThrow(UserError);
  });

  it("gives times that a date can hold, whatever the log says", () => {
    const lines = [1e300, "yesterday", null, Number.NaN].map((time) => `${JSON.stringify({ ...notice("x"), time })}\n`);
    const { records } = read(`${version1([oldHead])}${lines.join("")}`);
    expect(records.map(({ time }) => time)).toEqual([1_000, 1_000, 1_000, 1_000, 1_000]);
    expect(records.map(({ seq }) => seq)).toEqual([0, 1, 2, 3, 4]);
  });

  it("is no reason to believe a version number that is damaged", () => {
    const content = Buffer.concat(encode([head("s1"), notice("x")]));
    content[content.indexOf('"version":2') + 10] = "7".charCodeAt(0);
    expect(read(content)).toMatchObject({ records: [{ seq: 1 }], damage: [{ kind: "checksum" }] });
  });
});

describe("a damaged log", () => {
  const logs = fc.array(anyEntry, { minLength: 1, maxLength: 8 }).map((entries) => {
    const lines = encode([head("s1"), ...entries]);
    const ends = lines.map((_, index) => Buffer.concat(lines.slice(0, index + 1)).length);
    return { content: Buffer.concat(lines), ends };
  });
  const places = fc.nat().map((at) => (length: number) => at % length);

  /** Records by what they were written as: their bytes. */
  const digest = (bytes: Uint8Array) => createHash("sha1").update(bytes).digest("hex");
  function expectOnly(
    content: Buffer,
    { records }: { records: LogRecord[] },
    written: Buffer,
    ends: number[],
  ): string[] {
    const known = ends.map((end, index) => digest(written.subarray(ends[index - 1] ?? 0, end - 1)));
    const found = records.map(({ offset, bytes }) => digest(content.subarray(offset, offset + bytes)));
    for (const one of found) expect(known).toContain(one);
    return found;
  }
  const without = (written: Buffer, ends: number[], lost: (start: number, end: number) => boolean) =>
    ends.flatMap((end, index) => {
      const start = ends[index - 1] ?? 0;
      return lost(start, end) ? [] : [digest(written.subarray(start, end - 1))];
    });

  it("loses one record at most to a changed byte, and says where", () => {
    fc.assert(
      fc.property(logs, places, fc.integer({ min: 1, max: 255 }), ({ content, ends }, place, change) => {
        const at = place(content.length);
        const damaged = Buffer.from(content);
        damaged[at] = (damaged[at] as number) ^ change;
        const result = read(damaged);
        const found = expectOnly(damaged, result, content, ends);
        const isLineEnd = ends.includes(at + 1);
        const hit = (start: number, end: number) => !isLineEnd && at >= start && at < end;
        expect(found).toEqual(without(content, ends, hit));
        const blank = [0x20, 0x09, 0x0d, 0x0a].includes(damaged[at] as number) && isLineEnd;
        if (!blank)
          expect(result.damage.some(({ offset, bytes }) => at + 1 >= offset && at <= offset + bytes)).toBe(true);
      }),
      { numRuns: 150 },
    );
  });

  it("loses what was cut off and nothing else", () => {
    fc.assert(
      fc.property(logs, places, ({ content, ends }, place) => {
        const length = place(content.length + 1);
        const cut = content.subarray(0, length);
        const result = read(cut);
        expect(expectOnly(cut, result, content, ends)).toEqual(
          without(content, ends, (_start, end) => end - 1 > length),
        );
        const whole = ends.filter((end) => end - 1 <= length).at(-1) ?? 0;
        const torn = length - Math.min(whole, length);
        expect(result.damage).toEqual(
          torn === 0 ? [] : [{ type: "damage", kind: "torn-tail", offset: whole, bytes: torn }],
        );
      }),
      { numRuns: 150 },
    );
  });

  it("loses one record at most to bytes that were put in", () => {
    const garbage = fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 200 }),
      fc.constantFrom(
        "\n",
        "\0".repeat(50),
        '{"type":"reset"}\n',
        ',"sum":"00000000',
        `{${',"sum":"00000001'.repeat(40)}`,
      ),
    );
    fc.assert(
      fc.property(logs, places, garbage, ({ content, ends }, place, put) => {
        const at = place(content.length + 1);
        const damaged = Buffer.concat([content.subarray(0, at), Buffer.from(put as string), content.subarray(at)]);
        const result = read(damaged);
        const found = expectOnly(damaged, result, content, ends);
        expect(found).toEqual(without(content, ends, (start, end) => at > start && at < end - 1));
      }),
      { numRuns: 150 },
    );
  });

  it("loses one record at most to bytes that were taken out", () => {
    fc.assert(
      fc.property(logs, places, ({ content, ends }, place) => {
        const at = place(content.length);
        const damaged = Buffer.concat([content.subarray(0, at), content.subarray(at + 1)]);
        const found = expectOnly(damaged, read(damaged), content, ends);
        const isLineEnd = ends.includes(at + 1);
        expect(found).toEqual(without(content, ends, (start, end) => !isLineEnd && at >= start && at < end));
      }),
      { numRuns: 150 },
    );
  });

  it("of arbitrary bytes is read without an exception or a record", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(read(bytes).records).toEqual([]);
      }),
    );
    for (const content of ["[]", "[]\n", "\0", '{"a":1}\n', "\n\n"]) expect(read(content).records).toEqual([]);
  });

  it("that is full of sums is read in a time that grows with its size only", () => {
    const many = `{${`{,"sum":"00100000${"0".repeat(8)}"}`.repeat(150_000)}\n`;
    const startedAt = performance.now();
    expect(read(many).damage).toHaveLength(1);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  it("believes no line without a sum, wherever it was put", () => {
    const line = `${JSON.stringify({ seq: 0, time: 1, ...notice("forged") })}\n`;
    const lines = encode([head("s1"), notice("a")]);
    for (let at = 0; at <= lines.length; at++)
      expect(read(Buffer.concat(lines.toSpliced(at, 0, Buffer.from(line))))).toMatchObject({
        records: [{ entry: head("s1") }, { entry: notice("a") }],
        damage: [{ kind: "checksum" }],
      });
  });

  it("of version 1 is read although its header is damaged", () => {
    const entries = [notice("a"), notice("b"), notice("c")];
    const { records, damage } = read(`{"seq":0,"ty${version1([oldHead, ...entries]).slice(20)}`);
    expect([records.map(({ entry }) => entry), damage.length]).toEqual([entries, 1]);
  });

  it("gives no record that only stands inside another", () => {
    const inner = JSON.parse(encodeRecord({ seq: 7, time: 7, entry: notice("forged") }).toString());
    const call = { type: "tool-call", callId: "c", tool: "t", input: { a: 1, inner }, rawInput: "" } as const;
    const outer: SessionEntry = { type: "message", message: { id: "m", role: "assistant", parts: [call] } };
    const content = Buffer.concat(encode([head("s1"), outer, notice("after")]));
    expect(entriesOf(read(content))).toEqual([head("s1"), outer, notice("after")]);
    content[content.indexOf('"callId"') + 3] = 0;
    expect(read(content).records.map(({ seq }) => seq)).toEqual([0, 2]);
  });
});

import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { anyEntry, head, notice, prompt } from "../../../test/support/session-entries.ts";
import { makeTempFolder, removeTempFolder } from "../../../test/support/temp.ts";
import type { SessionEntry } from "../../contracts/session.ts";
import { createKeptTexts } from "../kept-texts.ts";
import { inspectLog } from "./inspect-log.ts";
import { encodeRecord } from "./log-record.ts";
import { readLog } from "./read-log.ts";
import { repairLog } from "./repair-log.ts";
import { acquireLock } from "./session-lock.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = makeTempFolder();
  path = join(folder, "s1.jsonl");
});
afterEach(() => removeTempFolder(folder));

const lines = (entries: readonly SessionEntry[]) =>
  entries.map((entry, seq) => encodeRecord({ seq, time: 1_000 + seq, entry }));
const write = (...pieces: (string | Buffer)[]) =>
  writeFileSync(path, Buffer.concat(pieces.map((piece) => Buffer.from(piece as string))));
const call = (callId: string): SessionEntry => ({
  type: "message",
  message: {
    id: `m-${callId}`,
    role: "assistant",
    parts: [{ type: "tool-call", callId, tool: "bash", input: {}, rawInput: "{}" }],
  },
});
const result = (callId: string): SessionEntry => ({
  type: "message",
  message: {
    id: `r-${callId}`,
    role: "tool",
    parts: [{ type: "tool-result", callId, tool: "bash", text: "", isError: false, handle: "#1" }],
  },
});

describe("looking into a log", () => {
  it("counts records and turns, and finds nothing wrong with a sound one", () => {
    write(...lines([head("s1"), prompt("m1", "one"), call("c1"), result("c1"), prompt("m2", "two")]));
    expect(inspectLog(path)).toEqual({
      path,
      bytes: statSync(path).size - 1,
      records: 5,
      turns: 2,
      damage: [],
      foreign: 0,
      openCalls: [],
      lostTexts: [],
    });
  });

  it("does not count what the program or a sub-agent said as a turn", () => {
    const synthetic: SessionEntry = {
      type: "message",
      message: { id: "m2", role: "user", parts: [], synthetic: true },
    };
    write(
      ...lines([
        head("s1"),
        prompt("m1", "one"),
        synthetic,
        { ...prompt("m3", "inner"), parentCallId: "c1" } as SessionEntry,
      ]),
    );
    expect(inspectLog(path).turns).toBe(1);
  });

  it("names the calls that never got a result", () => {
    write(...lines([head("s1"), call("old"), { type: "reset" }, call("c1"), call("c2"), result("c1")]));
    expect(inspectLog(path).openCalls).toEqual([{ callId: "c2", tool: "bash" }]);
  });

  it("names kept texts that are missing or damaged", () => {
    const entries: SessionEntry[] = [head("s1")];
    const kept = createKeptTexts({ folder: join(folder, "s1"), onKept: (entry) => void entries.push(entry) });
    const [, two, three] = ["one", "two", "three"].map((text, n) => kept.keep(`#${n + 1}`, text)) as string[];
    rmSync(two as string);
    writeFileSync(three as string, "THREE");
    write(...lines(entries));
    expect(inspectLog(path).lostTexts).toEqual([
      { handle: "#2", state: "missing", bytes: 3 },
      { handle: "#3", state: "damaged", bytes: 5 },
    ]);
  });

  it("says what is damaged, where and how much", () => {
    const [first, second, third] = lines([head("s1"), notice("a"), notice("b")]) as [Buffer, Buffer, Buffer];
    write(first, "garbage\n", second, third.subarray(0, 40));
    expect(inspectLog(path)).toMatchObject({
      records: 2,
      damage: [
        { kind: "checksum", offset: first.length, bytes: 7 },
        { kind: "torn-tail", offset: first.length + 8 + second.length, bytes: 40 },
      ],
    });
  });
});

describe("repairing a log", () => {
  it("leaves a sound one as it is", () => {
    write(...lines([head("s1"), notice("a")]));
    const before = statSync(path, { bigint: true });
    expect(repairLog(path)).toEqual({ type: "sound" });
    expect(statSync(path, { bigint: true })).toMatchObject({ ino: before.ino, mtimeNs: before.mtimeNs });
    expect(readdirSync(folder)).toEqual(["s1.jsonl"]);
  });

  it("takes out what is damaged, keeps it beside, and leaves the rest byte for byte", () => {
    const [first, second, third] = lines([head("s1"), notice("a"), notice("b")]) as [Buffer, Buffer, Buffer];
    write(first, "garb\0age\n", second, third.subarray(0, 40));
    const repaired = repairLog(path);
    expect(repaired).toMatchObject({ type: "repaired", keptIn: join(folder, "s1.damaged-1"), damage: [{}, {}] });
    expect(readFileSync(path)).toEqual(Buffer.concat([first, second]));
    expect(readFileSync(join(folder, "s1.damaged-1"), "utf8")).toBe(
      `# 8 bytes from offset ${first.length} (checksum)\ngarb\0age\n` +
        `# 40 bytes from offset ${first.length + 9 + second.length} (torn-tail)\n${third.subarray(0, 40)}\n`,
    );
    expect([path, join(folder, "s1.damaged-1")].map((one) => statSync(one).mode & 0o777)).toEqual([0o600, 0o600]);
    expect(repairLog(path)).toEqual({ type: "sound" });
    expect(readdirSync(folder).sort()).toEqual(["s1.damaged-1", "s1.jsonl"]);
  });

  it("keeps records that only a later version understands", () => {
    const later = { type: "of a later version" } as unknown as SessionEntry;
    const odd = {
      type: "message",
      message: { id: "m", role: "user", parts: [{ type: "video" }] },
    } as unknown as SessionEntry;
    const good = lines([head("s1"), later, odd]);
    write(...good, "garbage\n");
    expect(repairLog(path)).toMatchObject({ type: "repaired", damage: [{ bytes: 7 }] });
    expect(readFileSync(path)).toEqual(Buffer.concat(good));
    expect(inspectLog(path)).toMatchObject({ records: 1, foreign: 2, damage: [] });
  });

  it("keeps damage of any size beside without holding it", () => {
    const good = lines([head("s1")]);
    write(...good, Buffer.alloc(70 * 1024 * 1024, "x"), "\n", ...good);
    expect(repairLog(path)).toMatchObject({ type: "repaired", damage: [{ kind: "too-long" }] });
    expect(statSync(join(folder, "s1.damaged-1")).size).toBeGreaterThan(70 * 1024 * 1024);
    expect([...readLog(path)]).toHaveLength(1);
  });

  it("never touches the log of a running session", () => {
    write(...lines([head("s1")]), "garbage\n");
    const lock = acquireLock(path);
    const before = readFileSync(path);
    expect(repairLog(path)).toMatchObject({ type: "held", by: { pid: process.pid } });
    expect(readFileSync(path)).toEqual(before);
    if (lock.held) lock.release();
    expect(repairLog(path)).toMatchObject({ type: "repaired" });
  });

  it("that cannot be finished leaves the log as it was, and says so", () => {
    write(...lines([head("s1")]), "garbage\n");
    mkdirSync(`${path}.${process.pid}.tmp`);
    const before = readFileSync(path);
    expect(() => repairLog(path)).toThrow(/s1\.jsonl could not be repaired: .*It is as it was/);
    expect(readFileSync(path)).toEqual(before);
    expect(() => repairLog(join(folder, "none.jsonl"))).toThrow(/none\.jsonl could not be repaired/);
  });

  it("loses no byte of any damaged log: each is in the log or beside it", () => {
    fc.assert(
      fc.property(
        fc.array(anyEntry, { maxLength: 5 }),
        fc.array(fc.tuple(fc.nat(), fc.uint8Array({ minLength: 1, maxLength: 20 })), { minLength: 1, maxLength: 4 }),
        (entries, insertions) => {
          removeTempFolder(folder);
          mkdirSync(folder);
          let content = Buffer.concat(lines([head("s1"), ...entries]));
          for (const [at, bytes] of insertions) {
            const place = at % (content.length + 1);
            content = Buffer.concat([content.subarray(0, place), bytes, content.subarray(place)]);
          }
          writeFileSync(path, content);
          const before = [...readLog(path)].flatMap((found) => ("entry" in found ? [found.entry] : []));
          const repaired = repairLog(path);
          const after = [...readLog(path)];
          expect(after).toEqual(before.map((entry) => expect.objectContaining({ entry })));
          const kept = repaired.type === "repaired" ? readFileSync(repaired.keptIn) : Buffer.alloc(0);
          const held = Buffer.concat([readFileSync(path), kept]);
          const blank = new Set([0x20, 0x09, 0x0d, 0x0a]);
          const count = (bytes: Buffer, wanted: number) =>
            bytes.reduce((sum, byte) => sum + Number(byte === wanted), 0);
          for (const byte of new Set(content))
            if (!blank.has(byte)) expect(count(held, byte)).toBeGreaterThanOrEqual(count(content, byte));
        },
      ),
      { numRuns: 60 },
    );
  });
});

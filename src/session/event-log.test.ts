import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { ProviderError } from "../contracts/errors.ts";
import { emptyUsage } from "../contracts/message.ts";
import type { SessionEntry } from "../contracts/session.ts";
import { createEventLog, newSessionId, projectSlug } from "./event-log.ts";

let state: string;
let troubles: string[];
beforeEach(() => {
  state = makeTempFolder();
  troubles = [];
});
afterEach(() => removeTempFolder(state));

const notice = (text: string): SessionEntry => ({ type: "event", event: { type: "notice", text } });
const open = (folder = join(state, "sessions/project")) =>
  createEventLog({ id: "s1", folder, onTrouble: (problem) => void troubles.push(problem) });
const file = (folder = join(state, "sessions/project")) => join(folder, "s1.jsonl");
const entries = (path = file()) =>
  readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

describe("the session log", () => {
  it("has each entry on disk when append returns, one line each, numbered in order", () => {
    const log = open();
    const texts = ["one", "two\nlines", "three \u2028 \ud83d\ude00 \u0000"];
    texts.forEach((text, index) => {
      log.append(notice(text));
      expect(entries().map((entry) => entry.event.text)).toEqual(texts.slice(0, index + 1));
    });
    expect(entries().map((entry) => entry.seq)).toEqual([0, 1, 2]);
    expect(readFileSync(file(), "utf8").split("\n")).toHaveLength(4);
  });

  it("stamps every entry with the time and keeps its own fields", () => {
    const before = Date.now();
    open().append({ type: "session", version: 1, id: "s1", cwd: "/x", model: "m", program: "corecoder 0" });
    const [entry] = entries();
    expect(entry).toMatchObject({ type: "session", version: 1, id: "s1", cwd: "/x", model: "m" });
    expect(entry.time).toBeGreaterThanOrEqual(before);
    expect(entry.time).toBeLessThanOrEqual(Date.now());
  });

  it("writes an entry of several megabytes whole", () => {
    const text = "é".repeat(3_000_000);
    const log = open();
    log.append(notice(text));
    log.append(notice("after"));
    expect(entries().map((entry) => entry.event.text.length)).toEqual([text.length, 5]);
  });

  it("makes no file before there is something to write", () => {
    open();
    expect(() => statSync(file())).toThrow("ENOENT");
  });

  it("appends to a log that exists", () => {
    open().append(notice("first run"));
    open().append(notice("second run"));
    expect(entries()).toHaveLength(2);
  });

  it("is private whatever the umask: folders 0700, the file 0600", () => {
    const umask = process.umask(0);
    try {
      open().append(notice("x"));
    } finally {
      process.umask(umask);
    }
    const modes = [join(state, "sessions"), join(state, "sessions/project"), file()].map(
      (path) => statSync(path).mode & 0o777,
    );
    expect(modes).toEqual([0o700, 0o700, 0o600]);
  });

  it("keeps the message of an error, which plain JSON would lose", () => {
    const outcome = { type: "failed", error: new ProviderError("network", "connection refused") } as const;
    const totals = { rounds: 1, usage: emptyUsage, costUsd: null, durationMs: 1, apiMs: 1, denials: [] };
    open().append({ type: "event", event: { type: "turn.finished", outcome, totals } });
    expect(entries()[0].event.outcome.error).toEqual({ name: "ProviderError", message: "connection refused" });
  });

  it("can be closed twice, and before anything was written", () => {
    const log = open();
    log.close();
    log.append(notice("x"));
    log.close();
    log.close();
    expect(troubles).toEqual([]);
  });
});

describe("a log that cannot be written", () => {
  it("is told about once, with the folder, and nothing is thrown", () => {
    writeFileSync(join(state, "sessions"), "in the way");
    const log = open();
    for (const text of ["one", "two", "three"]) log.append(notice(text));
    log.close();
    expect(troubles).toEqual([expect.stringContaining(join(state, "sessions/project"))]);
    expect(troubles[0]).toMatch(/ENOTDIR|EEXIST/);
  });

  it("on a full disk is told about once, and nothing is thrown", () => {
    mkdirSync(join(state, "sessions/project"), { recursive: true });
    symlinkSync("/dev/full", file());
    const log = open();
    log.append(notice("one"));
    log.append(notice("two"));
    log.close();
    expect(troubles).toEqual([expect.stringContaining("ENOSPC")]);
  });

  it.skipIf(process.getuid?.() === 0)("in a read-only folder is told about once, and nothing is thrown", () => {
    mkdirSync(join(state, "sessions"));
    chmodSync(join(state, "sessions"), 0o500);
    const log = open();
    log.append(notice("one"));
    log.append(notice("two"));
    expect(troubles).toEqual([expect.stringContaining("EACCES")]);
  });

  it("because an entry is no JSON is told about, and nothing is thrown", () => {
    const log = open();
    log.append({ type: "request.prefix", system: "", tools: [1n] });
    expect(troubles).toHaveLength(1);
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

describe("a project's folder name", () => {
  it("is readable and a single harmless name", () => {
    expect(projectSlug("/home/me/my project")).toMatch(/^home-me-my-project/);
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("..", ".", "../..")), (path) => {
        const slug = projectSlug(`/${path}`);
        expect(slug).toMatch(/^[A-Za-z0-9._-]{1,120}$/);
        expect([".", ".."]).not.toContain(slug);
      }),
    );
  });

  it.each([
    ["/home/me/a/b", "/home/me/a-b"],
    ["/home/me/проект", "/home/me/другой"],
    [`/start-one/${"x".repeat(120)}`, `/start-two/${"x".repeat(120)}`],
    ["/", "/-"],
  ])("differs for folders that read the same, whose rules must not mix: %s and %s", (one, other) => {
    expect(projectSlug(one)).not.toBe(projectSlug(other));
  });

  it("is the same every time", () => {
    expect(projectSlug("/home/me/a")).toBe(projectSlug("/home/me/a"));
  });
});

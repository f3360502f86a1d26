import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { noon, saveLog } from "../../test/support/saved-logs.ts";
import { prompt } from "../../test/support/session-entries.ts";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { UserError } from "../contracts/errors.ts";
import { locateSession } from "./locate-session.ts";

let state: string;
beforeEach(() => {
  state = makeTempFolder();
});
afterEach(() => removeTempFolder(state));

const named = (name: string) => [prompt("m1", "hi"), { type: "name", name } as const];

describe("finding a session", () => {
  it("goes by its id, the beginning of it, its name, or its path", () => {
    const one = saveLog(state, { id: "20260101-aaaa", entries: named("my fix (2)") });
    const two = saveLog(state, { id: "20260102-bbbb", entries: named("20260101-aaaa"), project: "other" });
    for (const wanted of ["20260101-aaaa", "20260101", "my fix (2)", one])
      expect(locateSession(wanted, state)).toBe(one);
    expect(locateSession("20260102", state)).toBe(two);
  });

  it("takes the newest of several with one name", () => {
    saveLog(state, { id: "a", entries: named("twice"), startedAt: noon });
    const newer = saveLog(state, { id: "b", entries: named("twice"), startedAt: noon + 1e6 });
    saveLog(state, { id: "c", entries: named("twice"), startedAt: noon - 1e6 });
    expect(locateSession("twice", state)).toBe(newer);
  });

  it.each(["nothing", "../../etc/passwd", "..", "", "/etc/passwd.jsonl", "a\0b", "2026*"])("refuses %j", (wanted) => {
    saveLog(state, { id: "20260101-aaaa", entries: named("other") });
    expect(() => locateSession(wanted, state)).toThrow(UserError);
  });
});

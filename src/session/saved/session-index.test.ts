import { appendFileSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { finished, noon, said, saveLog, used } from "../../../test/support/saved-logs.ts";
import { prompt } from "../../../test/support/session-entries.ts";
import { makeTempFolder, removeTempFolder } from "../../../test/support/temp.ts";
import { encodeRecord } from "../log/log-record.ts";
import { acquireLock } from "../log/session-lock.ts";
import { indexSessions, indexWithoutPrices } from "./session-index.ts";

let state: string;
beforeEach(() => {
  state = makeTempFolder();
});
afterEach(() => removeTempFolder(state));

const turn = (text: string) => [prompt("m1", text), said("m2", "ok", { usage: used(1_000) }), finished()];
const cachePath = () => join(state, "sessions", "digests.cache");

/** Answers with the sessions and which logs had to be read. */
async function index(folder?: string) {
  let reads = 0;
  const { sessions, scan } = await indexSessions({
    stateFolder: state,
    priceOf: async () => 0.25,
    onRead: () => reads++,
    ...(folder === undefined ? {} : { folder: join(state, "sessions", folder) }),
  });
  return { sessions, scan, reads, ids: sessions.map(({ id }) => id) };
}

describe("the index of saved sessions", () => {
  it("lists all sessions, or those of one project, the one used last first", async () => {
    saveLog(state, { id: "old", entries: turn("first"), startedAt: noon });
    saveLog(state, { id: "new", entries: turn("third"), startedAt: noon + 9e6 });
    saveLog(state, { id: "other", entries: turn("second"), project: "elsewhere", startedAt: noon + 5e6 });
    expect((await index()).ids).toEqual(["new", "other", "old"]);
    expect((await index("project")).sessions.map(({ title, costUsd }) => [title, costUsd])).toEqual([
      ["third", 0.25],
      ["first", 0.25],
    ]);
  });

  it("reads a log once, and again only when it has changed", async () => {
    const path = saveLog(state, { id: "one", entries: turn("a") });
    saveLog(state, { id: "two", entries: turn("b") });
    expect((await index()).reads).toBe(2);
    expect((await index()).reads).toBe(0);
    appendFileSync(path, encodeRecord({ seq: 9, time: noon + 1e6, entry: { type: "name", name: "mine" } }));
    const { reads, sessions } = await index();
    expect(reads).toBe(1);
    expect(sessions[0]).toMatchObject({ id: "one", name: "mine" });
    rmSync(path);
    expect((await index()).ids).toEqual(["two"]);
    expect(readFileSync(cachePath(), "utf8")).not.toContain("mine");
  });

  it("notices a log that was replaced by one of the same length", async () => {
    const path = saveLog(state, { id: "one", entries: turn("aaaa") });
    await index();
    const { mtime } = statSync(path);
    rmSync(path);
    saveLog(state, { id: "one", entries: turn("bbbb") });
    writeFileSync(`${path}.other`, "");
    utimesSync(path, mtime, new Date(mtime.getTime() + 1_000));
    expect((await index()).sessions[0]?.title).toBe("bbbb");
  });

  it.each([
    ["is missing", (path: string) => rmSync(path)],
    ["is empty", (path: string) => writeFileSync(path, "")],
    [
      "was changed",
      (path: string) => writeFileSync(path, readFileSync(path, "utf8").replace('"title":"a"', '"title":"z"')),
    ],
    [
      "is of another version",
      (path: string) =>
        writeFileSync(path, readFileSync(path, "utf8").replace(/^corecoder cache \d+/, "corecoder cache 0")),
    ],
    [
      "is a folder",
      (path: string) => {
        rmSync(path);
        mkdirSync(path);
      },
    ],
  ])("is made anew when its file %s", async (_what, damage) => {
    saveLog(state, { id: "one", entries: turn("a") });
    await index();
    damage(cachePath());
    const { reads, sessions } = await index();
    expect(reads).toBe(1);
    expect(sessions[0]?.title).toBe("a");
  });

  it("can do without prices, and does not remember that as their absence", async () => {
    saveLog(state, { id: "one", entries: turn("a") });
    expect(indexWithoutPrices({ stateFolder: state }).sessions[0]).toMatchObject({ title: "a", costUsd: null });
    expect((await index()).sessions[0]?.costUsd).toBe(0.25);
    expect(indexWithoutPrices({ stateFolder: state }).sessions[0]?.costUsd).toBe(0.25);
  });

  it("says which session is open, and only while it is", async () => {
    const path = saveLog(state, { id: "one", entries: turn("a") });
    const lock = acquireLock(path);
    expect((await index()).sessions[0]?.state).toBe("open");
    if (lock.held) lock.release();
    expect((await index()).sessions[0]?.state).toBe("finished");
  });

  it.each([
    ["nothing", ""],
    ["no record", "[]"],
    ["no text", Buffer.from([0xff, 0xfe, 0, 1, 2])],
    ["a record that was cut off", '{"seq":0,"time":1,"type":"sess'],
  ])("lists a log that holds %s as damaged", async (_what, content) => {
    mkdirSync(join(state, "sessions", "project"), { recursive: true });
    writeFileSync(join(state, "sessions", "project", "bad.jsonl"), content);
    saveLog(state, { id: "good", entries: turn("a") });
    const { sessions } = await index();
    expect(sessions.find(({ id }) => id === "bad")?.state).toBe("damaged");
    expect(sessions.find(({ id }) => id === "good")?.state).toBe("finished");
  });

  it("says of a log of a later version why it cannot be read, and tries again every time", async () => {
    const path = saveLog(state, { id: "later", entries: [] });
    const head = { type: "session", version: 9, id: "later", cwd: "/", model: "m", program: "corecoder 9" };
    writeFileSync(path, encodeRecord({ seq: 0, time: noon, entry: head as never }));
    const first = await index();
    expect(first.sessions[0]).toMatchObject({ state: "damaged", title: expect.stringContaining("later version") });
    expect((await index()).reads).toBe(1);
  });

  it("works without a state folder", async () => {
    rmSync(state, { recursive: true });
    expect((await index()).sessions).toEqual([]);
  });
});

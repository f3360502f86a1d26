import {
  appendFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answered, called, inside, noon, recordsOf, said, saveLog } from "../../../test/support/saved-logs.ts";
import { prompt } from "../../../test/support/session-entries.ts";
import { makeTempFolder, removeTempFolder } from "../../../test/support/temp.ts";
import type { SessionEntry } from "../../contracts/session.ts";
import { encodeRecord } from "../log/log-record.ts";
import { indexWithoutPrices } from "../saved/session-index.ts";
import { openSegment } from "./open-segment.ts";
import { searchSessions } from "./search-sessions.ts";

let state: string;
beforeEach(() => {
  state = makeTempFolder();
});
afterEach(() => removeTempFolder(state));

function search(query: string, limit = 20) {
  let reads = 0;
  const { sessionAt, scan } = indexWithoutPrices({ stateFolder: state });
  const onRead = () => reads++;
  const answer = searchSessions({ stateFolder: state, files: scan.files, sessionAt, query, limit, onRead });
  return { ...answer, reads, ids: answer.found.map(({ session }) => session.id) };
}

const segments = () => readdirSync(join(state, "sessions", "search")).filter((name) => name.endsWith(".segment"));
const append = (path: string, entries: readonly SessionEntry[], startedAt = noon + 1e6) =>
  appendFileSync(path, Buffer.concat(recordsOf(entries, startedAt).map(encodeRecord)));

describe("a search over all sessions", () => {
  it("finds what was asked, said, thought, called and answered, in every project, and says who said it", () => {
    saveLog(state, {
      id: "one",
      entries: [
        prompt("m1", "why does the parser hang"),
        said("m2", [
          { type: "thinking", text: "maybe a regex" },
          called("c1", "bash", { command: "npm run profile\nls" }),
        ]),
        answered("m3", "c1", "catastrophic backtracking"),
        inside("c1", said("m4", "a sub-agent's observation")),
        { type: "name", name: "parser-hunt" },
      ],
    });
    saveLog(state, { id: "two", project: "elsewhere", entries: [prompt("m1", "something else")] });
    const hit = (query: string) => {
      const { found } = search(query);
      return found.map(({ session, hits }) => [session.id, hits[0]?.role, hits[0]?.tool]);
    };
    expect(hit("parser hang")).toEqual([["one", "user", undefined]]);
    expect(hit("regex")).toEqual([["one", "assistant", undefined]]);
    expect(hit("profile")).toEqual([["one", "assistant", "bash"]]);
    expect(hit("backtracking")).toEqual([["one", "tool", "bash"]]);
    expect(hit("observation")).toEqual([["one", "assistant", undefined]]);
    expect(hit("parser-hunt")).toEqual([["one", "user", undefined]]);
    expect(hit("something")).toEqual([["two", "user", undefined]]);
    expect(hit("nowhere")).toEqual([]);
  });

  it("wants every word, in one place or in several, and phrases as they stand", () => {
    saveLog(state, { id: "apart", entries: [prompt("m1", "retry the call"), said("m2", "the limit is six")] });
    saveLog(state, { id: "together", entries: [prompt("m1", "the retry limit is six")] });
    saveLog(state, { id: "half", entries: [prompt("m1", "retry only")] });
    expect(search("retry limit").ids).toEqual(["together", "apart"]);
    expect(search('"retry limit"').ids).toEqual(["together"]);
    expect(search('"limit retry"').ids).toEqual([]);
    const hits = search("retry limit").found[1]?.hits ?? [];
    expect(hits.map(({ snippet }) => snippet)).toEqual(["retry the call", "the limit is six"]);
  });

  it("puts rare words, and what people asked, before what a command printed", () => {
    const chatter = Array.from({ length: 30 }, (_, n) =>
      answered(`t${n}`, `c${n}`, `common words and needle ${"filler ".repeat(50)}`),
    );
    saveLog(state, { id: "noisy", entries: chatter });
    saveLog(state, { id: "asked", entries: [prompt("m1", "where is the needle?")] });
    for (let n = 0; n < 5; n++) saveLog(state, { id: `other${n}`, entries: [prompt("m1", "common words")] });
    expect(search("needle").ids[0]).toBe("asked");
    expect(search("common needle").ids).toEqual(["noisy"]);
  });

  it("says when there is more than it gives", () => {
    for (let n = 0; n < 5; n++) saveLog(state, { id: `s${n}`, entries: [prompt("m1", "the same")] });
    expect(search("same", 3)).toMatchObject({ hasMore: true, found: { length: 3 } });
    expect(search("same", 5)).toMatchObject({ hasMore: false, found: { length: 5 } });
  });

  it("finds any words that stand in any message, and nothing that does not", () => {
    const word = fc.constantFrom("alpha", "beta", "gammaRay", "delta_x", "src/é.ts", "会话", "ÅÄÖ", "x1", "alphabet");
    const text = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(" "));
    fc.assert(
      fc.property(
        fc.array(fc.array(text, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 }),
        text,
        (logs, query) => {
          rmSync(join(state, "sessions"), { recursive: true, force: true });
          for (const [n, texts] of logs.entries())
            saveLog(state, { id: `s${n}`, entries: texts.map((each, at) => prompt(`m${at}`, each)) });
          const holds = (texts: readonly string[], wanted: string) =>
            texts.some((each) => ` ${each} `.includes(` ${wanted} `));
          const phrase = logs.flatMap((texts, n) => (holds(texts, query) ? [`s${n}`] : []));
          expect(search(`"${query}"`).ids.toSorted()).toEqual(expect.arrayContaining(phrase));
          const words = query.split(" ");
          const all = logs.flatMap((texts, n) => (words.every((each) => holds(texts, each)) ? [`s${n}`] : []));
          expect(search(query).ids).toEqual(expect.arrayContaining(all));
          const joined = logs.map((texts) => texts.join("\n").toLowerCase());
          for (const id of search(query).ids)
            for (const each of words) expect(joined[Number(id.slice(1))]).toContain(each.toLowerCase());
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe("the search index", () => {
  it("reads a log once, then only what was added to it", () => {
    const path = saveLog(state, { id: "one", entries: [prompt("m1", "first words")] });
    saveLog(state, { id: "two", entries: [prompt("m1", "other words")] });
    expect(search("words")).toMatchObject({ reads: 2, ids: { length: 2 } });
    expect(search("words").reads).toBe(0);
    const before = readFileSync(path).length;
    append(path, [said("m2", "later words")]);
    expect(search("later")).toMatchObject({ reads: 1, ids: ["one"] });
    const newest = openSegment(join(state, "sessions", "search", segments().toSorted().at(-1) ?? ""));
    expect(newest?.documents).toMatchObject({ count: 1, offset: { 0: before } });
    newest?.close();
    expect(search("first").ids).toEqual(["one"]);
    expect(search("later").reads).toBe(0);
  });

  it.each([
    [
      "cut and written on",
      (path: string) => {
        truncateSync(path, readFileSync(path).length - 10);
        writeFileSync(
          path,
          Buffer.concat([
            readFileSync(path).subarray(0, 200),
            encodeRecord({ seq: 9, time: noon, entry: prompt("m9", "fresh start") }),
            Buffer.alloc(900, " "),
          ]),
        );
      },
    ],
    [
      "replaced",
      (path: string) => {
        rmSync(path);
        saveLog(state, { id: "one", entries: [prompt("m1", "a fresh start")] });
      },
    ],
  ])("starts over with a log that was %s", (_what, change) => {
    const path = saveLog(state, { id: "one", entries: [prompt("m1", "old words that go")] });
    expect(search("old").ids).toEqual(["one"]);
    change(path);
    expect(search("fresh").ids).toEqual(["one"]);
    expect(search("old").ids).toEqual([]);
  });

  it("starts over with a log that was put in its place and ends alike", () => {
    const same = prompt("m2", "x".repeat(400));
    const path = saveLog(state, { id: "one", entries: [prompt("m1", "old word"), same] });
    expect(search("old").ids).toEqual(["one"]);
    const copy = saveLog(state, {
      id: "one",
      project: "copy",
      entries: [prompt("m1", "new word"), same, prompt("m3", "y")],
    });
    renameSync(copy, path);
    expect(search("new").ids).toEqual(["one"]);
    expect(search("old").ids).toEqual([]);
  });

  it("forgets a session that is gone", () => {
    const path = saveLog(state, { id: "one", entries: [prompt("m1", "gone soon")] });
    saveLog(state, { id: "two", entries: [prompt("m1", "staying here")] });
    expect(search("gone").ids).toEqual(["one"]);
    rmSync(path);
    expect(search("gone").ids).toEqual([]);
    expect(search("staying").ids).toEqual(["two"]);
  });

  it.each([
    ["missing", (file: string) => rmSync(file)],
    ["empty", (file: string) => writeFileSync(file, "")],
    ["cut off", (file: string) => truncateSync(file, 50)],
    ["damaged at its beginning", (file: string) => writeFileSync(file, readFileSync(file).fill(0xaa, 0, 40))],
    ["another file", (file: string) => writeFileSync(file, "not a segment at all, by no means")],
  ])("is made anew when its file is %s", (_what, damage) => {
    saveLog(state, { id: "one", entries: [prompt("m1", "needle in a haystack")] });
    search("needle");
    for (const name of segments()) damage(join(state, "sessions", "search", name));
    expect(search("needle").ids).toEqual(["one"]);
    expect(search("haystack")).toMatchObject({ ids: ["one"], reads: 0 });
  });

  it("stays in few files however often it is brought up to date", () => {
    const path = saveLog(state, { id: "one", entries: [prompt("m0", "word0")] });
    for (let n = 1; n <= 30; n++) {
      search("word0");
      append(path, [prompt(`m${n}`, `word${n}`)], noon + n * 1_000);
    }
    for (const n of [0, 7, 15, 30]) expect(search(`word${n} word`).ids).toEqual(["one"]);
    expect(segments().length).toBeLessThan(12);
  });

  it("says nothing false about a log whose records it can no longer read", () => {
    const path = saveLog(state, { id: "one", entries: [prompt("m1", "the needle is here"), prompt("m2", "other")] });
    const before = new Date(noon);
    utimesSync(path, before, before);
    expect(search("needle").ids).toEqual(["one"]);
    const bytes = readFileSync(path);
    bytes.write("nettle", bytes.indexOf("needle"));
    writeFileSync(path, bytes);
    utimesSync(path, before, before);
    expect(search("needle")).toMatchObject({ ids: [], reads: 0 });
    expect(search("other").ids).toEqual(["one"]);
  });

  it("works where nothing can be written", () => {
    saveLog(state, { id: "one", entries: [prompt("m1", "needle")] });
    writeFileSync(join(state, "sessions", "search"), "a file where the folder should be");
    expect(search("needle")).toMatchObject({ ids: ["one"], reads: 1 });
    expect(search("needle")).toMatchObject({ ids: ["one"], reads: 1 });
  });

  it("passes over logs that cannot be read at all", () => {
    saveLog(state, { id: "good", entries: [prompt("m1", "needle")] });
    for (const [name, content] of [
      ["empty", ""],
      ["list", "[]"],
      ["noise", "\0\xff".repeat(500)],
    ] as const)
      writeFileSync(join(state, "sessions", "project", `${name}.jsonl`), content);
    const later = { type: "session", version: 9, id: "later", cwd: "/", model: "m", program: "corecoder 9" };
    writeFileSync(
      join(state, "sessions", "project", "later.jsonl"),
      encodeRecord({ seq: 0, time: 1, entry: later as never }),
    );
    expect(search("needle").ids).toEqual(["good"]);
  });
});

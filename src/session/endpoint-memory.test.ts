import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { createEndpointLessons } from "./endpoint-memory.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = makeTempFolder();
  path = join(folder, "state/endpoints.json");
});
afterEach(() => removeTempFolder(folder));

const url = "http://localhost:1/v1";

describe("what endpoints refused", () => {
  it("is remembered by later runs, for that endpoint and that model only", () => {
    const first = createEndpointLessons(path);
    first.learn(url, "m", "streamOptions");
    first.learn(url, "m", "temperature");
    const second = createEndpointLessons(path);
    expect(second.recall(url, "m")).toEqual({ streamOptions: true, temperature: true });
    expect(second.recall(url, "other")).toEqual({});
    expect(second.recall("http://localhost:2/v1", "m")).toEqual({});
  });

  it("is known at once to the one that learned it", () => {
    const lessons = createEndpointLessons(path);
    expect(lessons.recall(url, "m")).toEqual({});
    lessons.learn(url, "m", "maxTokens");
    expect(lessons.recall(url, "m")).toEqual({ maxTokens: true });
  });

  it("adds to what an earlier run learned", () => {
    createEndpointLessons(path).learn(url, "m", "maxTokens");
    createEndpointLessons(path).learn(url, "n", "temperature");
    const lessons = createEndpointLessons(path);
    expect([lessons.recall(url, "m"), lessons.recall(url, "n")]).toEqual([{ maxTokens: true }, { temperature: true }]);
  });

  it.each(["", "{", "null", "[]", "5", '"text"', '{"http://localhost:1/v1 m": null}', "\u0000\u0001"])(
    "survives a file that holds %j, and mends it",
    (content) => {
      mkdirSync(join(folder, "state"));
      writeFileSync(path, content);
      const lessons = createEndpointLessons(path);
      expect(lessons.recall(url, "m")).toEqual({});
      lessons.learn(url, "m", "temperature");
      expect(createEndpointLessons(path).recall(url, "m")).toEqual({ temperature: true });
    },
  );

  it("holds for the run when it cannot be saved", () => {
    writeFileSync(join(folder, "state"), "in the way");
    const lessons = createEndpointLessons(path);
    lessons.learn(url, "m", "temperature");
    expect(lessons.recall(url, "m")).toEqual({ temperature: true });
  });

  it("lies in a private file", () => {
    createEndpointLessons(path).learn(url, "m", "temperature");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, "utf8")).toContain(url);
  });
});

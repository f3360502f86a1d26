import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { createProjectRules } from "./project-rules.ts";

let state: string;
let path: string;
beforeEach(() => {
  state = makeTempFolder();
  path = join(state, "allowed.json");
});
afterEach(() => removeTempFolder(state));

describe("rules a person answered always to", () => {
  it("are read by the next session, in order and each once", () => {
    const rules = createProjectRules(path);
    for (const rule of ["bash(npm test)", "edit_file", "bash(npm test)"]) rules.add(rule);
    expect(createProjectRules(path).read()).toEqual(["bash(npm test)", "edit_file"]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("of two sessions at the same time are all kept", () => {
    const [one, other] = [createProjectRules(path), createProjectRules(path)];
    one.add("a");
    other.add("b");
    one.add("c");
    expect(one.read()).toEqual(["a", "b", "c"]);
  });

  it.each(["", "{", "null", "{}", '{"0": "bash"}', '"bash"', "5"])(
    "allow nothing when the file holds %j",
    (content) => {
      writeFileSync(path, content);
      expect(createProjectRules(path).read()).toEqual([]);
    },
  );

  it("leave out what is no text", () => {
    writeFileSync(path, '["a", 5, null, ["bash"], {"rule": "bash"}, "b"]');
    expect(createProjectRules(path).read()).toEqual(["a", "b"]);
  });

  it("that cannot be saved are no error", () => {
    writeFileSync(join(state, "file"), "");
    const rules = createProjectRules(join(state, "file/allowed.json"));
    rules.add("a");
    expect(rules.read()).toEqual([]);
  });
});

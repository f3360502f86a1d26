import { describe, expect, it } from "vitest";
import type { FileChange, FileState } from "../contracts/file-change.ts";
import { netChanges } from "./net-changes.ts";

/** A change of one path, told by letters; `-` is nothing. */
function steps(path: string, ...letters: string[]): FileChange[] {
  const state = (letter: string | undefined): FileState | undefined =>
    letter === "-" || letter === undefined ? undefined : { type: "file", hash: letter, size: 1, mode: 0o644 };
  return letters.map((pair) => {
    const [before, after] = [state(pair[0]), state(pair[1])];
    return { path, ...(before ? { before } : {}), ...(after ? { after } : {}) };
  });
}

const told = (changes: readonly FileChange[]) =>
  netChanges(changes).map(({ path, before, after, isBroken }) => {
    const letter = (state: FileState | undefined) => (state?.type === "file" ? state.hash : "-");
    return `${path}:${letter(before)}${letter(after)}${isBroken ? "!" : ""}`;
  });

describe("several changes of a path come to one", () => {
  it.each([
    [["ab", "bc"], "x:ac"],
    [["-a", "ab", "bc"], "x:-c"],
    [["ab", "b-"], "x:a-"],
    [["ab"], "x:ab"],
  ])("%j is %s", (letters, net) => {
    expect(told(steps("x", ...letters))).toEqual([net]);
  });

  it.each([[["ab", "ba"]], [["-a", "a-"]], [["ab", "bc", "ca"]]])("%j comes to nothing", (letters) => {
    expect(told(steps("x", ...letters))).toEqual([]);
  });

  it.each([
    [["ab", "cd"], "x:ad!"],
    [["ab", "-c"], "x:ac!"],
    [["-a", "bc", "cd"], "x:-d!"],
  ])("%j was interrupted by somebody else", (letters, net) => {
    expect(told(steps("x", ...letters))).toEqual([net]);
  });

  it.each([
    [["ab", "ab"], "x:ab"],
    [["ab", "bc", "ac"], "x:ac"],
    [["ab", "bc", "bc"], "x:ac"],
  ])("%j was seen twice by work that ran side by side", (letters, net) => {
    expect(told(steps("x", ...letters))).toEqual([net]);
  });

  it("each path for itself, sorted", () => {
    expect(told([...steps("b", "ab"), ...steps("a", "-c"), ...steps("b", "bc")])).toEqual(["a:-c", "b:ac"]);
  });
});

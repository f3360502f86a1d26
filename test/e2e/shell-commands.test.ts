import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { call, type RecordedRequest, text } from "../../src/testing/index.ts";
import { lastToolText } from "../support/wire-messages.ts";
import { it, type World } from "../support/world.ts";

/** Lets the model run the commands one round after the other; answers with what it was told after each. */
async function told(world: World, inputs: readonly (string | Record<string, unknown>)[]): Promise<string[]> {
  const rounds = inputs.map((input) => call("bash", typeof input === "string" ? { command: input } : input));
  const model = await world.model([...rounds, text("ok")]);
  const result = await world.run(["-p", "go", "--dangerously-skip-permissions"], { model });
  expect(result).toMatchObject({ code: 0, stdout: "ok\n" });
  return model.requests.slice(1).map((request: RecordedRequest) => lastToolText(request));
}

describe("a shell command", () => {
  it("tells the model both streams and the exit code", async ({ world }) => {
    const [answer] = await told(world, ["echo out; echo err >&2; exit 42"]);
    expect(answer).toContain("out");
    expect(answer).toContain("err");
    expect(answer).toMatch(/\b42\b/);
  });

  it("names the signal that ended it", async ({ world }) => {
    const [answer] = await told(world, ["kill -SEGV $$"]);
    expect(answer).toMatch(/SIGSEGV|139/);
  });

  it("with a long output keeps its head, its tail and its size", async ({ world }) => {
    const [answer] = await told(world, [
      "echo HEAD_MARK; head -c 200000 /dev/zero | tr '\\0' x | fold -w 100; echo TAIL_MARK",
    ]);
    expect(answer!.length).toBeLessThan(40_000);
    expect(answer).toContain("HEAD_MARK");
    expect(answer).toContain("TAIL_MARK");
    expect(answer).toMatch(/20[0-9][,.]?[0-9]{3}|20[0-9] ?(KB|kB|KiB)|19[0-9] ?(KB|KiB)|2[,.]?00[0-9]/);
  });

  it("that prints 300 MB does not grow the program", async ({ world }) => {
    const [, answer] = await told(world, ["head -c 300000000 /dev/zero | tr '\\0' x", "grep VmHWM /proc/$PPID/status"]);
    const peakMb = Number(/VmHWM:\s+(\d+)/.exec(answer!)![1]) / 1024;
    expect(peakMb).toBeLessThan(220);
  });

  it("that runs too long is ended with all its children, and its output so far is returned", async ({ world }) => {
    const seconds = `61.${process.pid}`;
    const model = await world.model([
      call("bash", { command: `echo P; sleep ${seconds} & sleep ${seconds}`, timeout: 1 }),
      call("bash", { command: `ps -eo args | grep '[s]leep ${seconds}' || echo none` }),
      text("ok"),
    ]);
    await world.run(["-p", "go", "--dangerously-skip-permissions"], { model });
    const [first, second, third] = model.requests;
    expect(second!.receivedAt - first!.receivedAt).toBeLessThan(3000);
    expect(lastToolText(second)).toMatch(/timed out|time limit|timeout/i);
    expect(lastToolText(second)).toMatch(/^P$/m);
    expect(lastToolText(third)).toContain("none");
  });

  it("has nothing on its standard input", async ({ world }) => {
    const startedAt = performance.now();
    await told(world, ["cat"]);
    expect(performance.now() - startedAt).toBeLessThan(3000);
  });

  it("returns when it ends, even if a child in the background holds its output", async ({ world }) => {
    const startedAt = performance.now();
    const [answer] = await told(world, ["sleep 4 & echo started"]);
    expect(performance.now() - startedAt).toBeLessThan(3000);
    expect(answer).toContain("started");
  });

  it("gives the person and the model no terminal control sequences", async ({ world }) => {
    const [answer] = await told(world, ["printf '\\033[31mred\\033[0m\\033]0;title\\007 plain'"]);
    expect(answer).toContain("red");
    expect(answer).toContain("plain");
    expect(answer).not.toMatch(/\u001b|\u0007/);
  });

  it("says so when there is no output", async ({ world }) => {
    const [answer] = await told(world, ["true"]);
    expect(answer).toMatch(/no output/i);
  });
});

describe("the current folder", () => {
  it("moves with cd as in a shell, also after several steps and failing commands", async ({ world }) => {
    mkdirSync(join(world.cwd, "a/b"), { recursive: true });
    const steps = [
      ["cd a; cd b", "a/b"],
      ["cd -; false", "a"],
      ["pushd b && ls", "a/b"],
      ["(cd / && ls)", "a/b"],
      ['X=..; cd "$X"; ls nothing', "a"],
      ["cd nowhere", "a"],
      ["cd", "../../home"],
    ] as const;
    const answers = await told(
      world,
      steps.flatMap(([command]) => [command, "pwd"]),
    );
    const places = answers.filter((_, at) => at % 2 === 1).map((answer) => answer.trim().split("\n")[0]);
    expect(places).toEqual(steps.map(([, place]) => join(world.cwd, place)));
  });

  it("is shared by the file tools", async ({ world }) => {
    world.write("sub/f.txt", "inside sub");
    const model = await world.model([
      call("bash", { command: "cd sub" }),
      call("read_file", { file_path: "f.txt" }),
      text("ok"),
    ]);
    await world.run(["-p", "go"], { model });
    expect(lastToolText(model.requests[2])).toContain("inside sub");
  });

  it("keeps exported variables from one command to the next", async ({ world }) => {
    const answers = await told(world, [
      "export GREETING='hello  world'; LOCAL=x",
      'echo "[$GREETING][$LOCAL]"',
      "unset GREETING",
      'echo "[$GREETING]"',
    ]);
    expect(answers[1]).toContain("[hello  world][]");
    expect(answers[3]).toContain("[]");
  });

  it("may be deleted while the program runs, without taking it down", async ({ world }) => {
    const answers = await told(world, ['mkdir gone && cd gone && rmdir "$PWD"', "pwd", "echo still alive"]);
    expect(answers).toHaveLength(3);
    expect(answers.join("\n")).toMatch(/still alive|no longer exists|does not exist|deleted|gone/i);
  });
});

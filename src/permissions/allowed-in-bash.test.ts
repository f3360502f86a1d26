import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { makeCommandScope } from "../../test/support/command-scope.ts";
import { createCommandJudge } from "./command-judge.ts";

const judge = createCommandJudge();
const scope = makeCommandScope();
const programs = join(scope.home, "bin");
const trace = join(scope.home, "canary-was-here");

mkdirSync(programs);
writeFileSync(join(programs, "canary"), `#!/bin/sh\n: > ${trace}\n`, { mode: 0o755 });
writeFileSync(join(scope.root, "a"), "a\nb\n");
afterAll(() => scope.remove());

/** Pieces of shell, put together at random: most of it nonsense, some of it cunning. None can do harm even if it runs. */
const piece = fc.constantFrom(
  ...[
    "canary",
    "'canary'",
    "$(canary)",
    "`canary`",
    "'$(canary)'",
    "'a[$(canary)]'",
    "<(canary)",
    "| canary",
    "& canary",
  ],
  ...[
    "$",
    "(",
    ")",
    "`",
    "\\\n",
    "<",
    "{",
    "}",
    "'",
    '"',
    "\\",
    " ",
    " ",
    ";",
    "&",
    "|",
    "\n",
    "<<E\n",
    "\nE\n",
    "#",
    "!",
  ],
  ...[
    "[[ ",
    " ]]",
    "((",
    "))",
    "${",
    "$(",
    "$((",
    "<(",
    ":-",
    "@P",
    "x",
    "y=",
    "x=",
    "[",
    "]",
    "*",
    "~",
    "$x",
    '"$x"',
    "$'",
  ],
  ...["for x in ", "; do ", "; done", "if ", "; then ", "; fi", "case x in x) ", ";; esac", "while ", "; break"],
  ...[
    "echo ",
    "cat ",
    "ls ",
    "printf ",
    "test ",
    "-v ",
    "-eq ",
    "sort ",
    "-o f ",
    "sed ",
    "'1e canary' ",
    "awk ",
    "find . ",
  ],
  ...[
    "'BEGIN{system(\"canary\")}' ",
    "-exec ",
    "\\; ",
    "xargs ",
    "time ",
    "eval ",
    "read ",
    "command ",
    "bash -c ",
    "nice ",
  ],
  ...["> f", ">| f", "2>&1", "a", "E", "git log ", "--output=f ", "-- ", "%s ", "\t", "||", "&&", "cd ..", "true"],
);

describe("a command that runs unasked", () => {
  it("starts no unknown program and changes no file when bash really runs it", async () => {
    const before = readdirSync(scope.root).join();
    let ran = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { minLength: 2, maxLength: 8 }), async (pieces) => {
        const command = `echo ${pieces.join("")}`;
        fc.pre(/canary| f/.test(command) && (await judge.judge(command, scope)).decision === "allow");
        ran++;
        const env = { PATH: `${programs}:${process.env.PATH}`, HOME: scope.home };
        spawnSync("bash", ["-c", command], { cwd: scope.root, env, stdio: "ignore", timeout: 5000 });
        expect(existsSync(trace), command).toBe(false);
        expect(readdirSync(scope.root).join(), command).toBe(before);
      }),
      { numRuns: 150, maxSkipsPerRun: 500 },
    );
    expect(ran).toBeGreaterThanOrEqual(150);
  });
});

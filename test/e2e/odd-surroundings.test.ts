import { spawn } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { assertPairing, call, text } from "../../src/testing/index.ts";
import { builtCli } from "../support/repo-root.ts";
import { it } from "../support/world.ts";

describe("odd surroundings", () => {
  it("a current folder deleted while the program runs is told to the model, and the run ends normally", async ({
    world,
  }) => {
    const cwd = join(world.home, "short-lived");
    mkdirSync(cwd);
    const model = await world.model((_, index) => {
      if (index === 0) rmSync(cwd, { recursive: true });
      return [
        call("bash", { command: "echo hi" }),
        call("read_file", { file_path: "x" }),
        call("glob", { pattern: "*" }),
        text("ok"),
      ][index]!;
    });
    const result = await world.run(["-p", "go"], { model, cwd });
    expect(result).toMatchObject({ code: 0, stdout: "ok\n" });
    assertPairing(model.requests);
  });

  it("a home folder that does not exist is no obstacle", async ({ world }) => {
    const model = await world.model([text("ok")]);
    const result = await world.run(["-p", "hi"], { model, env: { HOME: join(world.folder, "nobody") } });
    expect(result).toMatchObject({ code: 0, stdout: "ok\n" });
  });

  it("stdout that is closed early ends the program quietly", async ({ world }) => {
    const model = await world.model([text("many words ".repeat(2000))]);
    const env = {
      PATH: process.env.PATH ?? "",
      HOME: world.home,
      CORECODER_HOME: world.state,
      OPENAI_API_KEY: "k",
      OPENAI_BASE_URL: model.url,
    };
    const child = spawn("bash", ["-c", `'${process.execPath}' '${builtCli}' -p hi 2>err.txt | head -c 5`], {
      cwd: world.cwd,
      env,
    });
    await new Promise((resolve) => child.once("close", resolve));
    expect(world.read("err.txt")).not.toMatch(/EPIPE|^\s+at /m);
  });

  it("project instructions reach the model, the nearest last", async ({ world }) => {
    const model = await world.model([text("ok")]);
    mkdirSync(join(world.cwd, ".git"));
    mkdirSync(join(world.cwd, "sub"));
    world.write("AGENTS.md", "root-rule: use tabs");
    world.write("sub/CLAUDE.md", "sub-rule: use spaces");
    writeFileSync(join(world.home, "AGENTS.md"), "above-the-repository-rule");
    await world.run(["-p", "hi"], { model, cwd: join(world.cwd, "sub") });
    const system = JSON.stringify(model.requests[0]!.body.messages[0]);
    expect(system.indexOf("root-rule")).toBeGreaterThan(0);
    expect(system.indexOf("sub-rule")).toBeGreaterThan(system.indexOf("root-rule"));
    expect(system).not.toContain("above-the-repository-rule");
  });
});

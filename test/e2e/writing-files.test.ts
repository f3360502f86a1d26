import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { call, calls, text } from "../../src/testing/index.ts";
import { blocksOf, resultOf } from "../support/stream-events.ts";
import { toolTexts } from "../support/wire-messages.ts";
import { it } from "../support/world.ts";

const write = (path: string, content = "new\n") => call("write_file", { file_path: path, content });

describe("write_file", () => {
  it("creates missing folders and says created, then overwritten", async ({ world }) => {
    const model = await world.model([
      write("deep/down/file.txt", "1\n2\n"),
      write("deep/down/file.txt", "3\n"),
      text("ok"),
    ]);
    await world.run(["-p", "go"], { model });
    expect(world.read("deep/down/file.txt")).toBe("3\n");
    const [created, overwritten] = toolTexts(model.requests[2]);
    expect(created).toMatch(/created/i);
    expect(created).toMatch(/\b2 lines/);
    expect(overwritten).toMatch(/overwr|updated|replaced/i);
  });

  it("refuses to overwrite what was not read, and works after reading", async ({ world }) => {
    world.write("mine.txt", "precious\n");
    const model = await world.model([
      write("mine.txt"),
      call("read_file", { file_path: "mine.txt" }),
      write("mine.txt"),
      text("ok"),
    ]);
    await world.run(["-p", "go"], { model });
    expect(toolTexts(model.requests[1])[0]).toMatch(/read/i);
    expect(world.read("mine.txt")).toBe("new\n");
  });

  it("leaves the old or the new content, nothing in between, when the program is killed while writing", async ({
    world,
  }) => {
    const path = world.write("target/big.txt", "old\n");
    const fresh = "new content\n".repeat(1_500_000);
    const model = await world.model([
      call("read_file", { file_path: "target/big.txt" }),
      write("target/big.txt", fresh),
    ]);
    const running = world.start(["-p", "go"], { model });
    const watcher = watch(join(world.cwd, "target"), () => running.kill("SIGKILL"));
    expect((await running.result).signal).toBe("SIGKILL");
    watcher.close();
    const left = readFileSync(path, "utf8");
    expect(left === "old\n" || left === fresh).toBe(true);
  });
});

describe("writing outside the workspace in one-shot mode", () => {
  it("is denied by absolute path, by .., through links and beside the folder, and the reason is told", async ({
    world,
  }) => {
    const outside = join(world.folder, "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "old.txt"), "old\n");
    mkdirSync(`${world.cwd}-sibling`);
    symlinkSync(outside, join(world.cwd, "link"));
    symlinkSync(join(outside, "dangling.txt"), join(world.cwd, "dangling"));
    const paths = [join(outside, "x"), "../x", "link/x", "dangling", `${world.cwd}-sibling/x`, "sub/../../x", "~/x"];
    const model = await world.model([calls(paths.map((path) => write(path))), text("ok")]);
    const result = await world.run(["-p", "go", "--output-format", "stream-json"], { model });
    expect(result.code).toBe(0);
    const answers = blocksOf(result.events, "tool_result");
    expect(answers.map((block) => block.is_error)).toEqual(paths.map(() => true));
    for (const answer of toolTexts(model.requests[1]))
      expect(answer).toMatch(/outside|workspace|denied|not allowed|permission/i);
    expect(resultOf(result.events).permission_denials).toHaveLength(paths.length);
    expect(readdirSync(outside)).toEqual(["old.txt"]);
    expect(readdirSync(`${world.cwd}-sibling`)).toEqual([]);
    expect(existsSync(join(world.home, "x"))).toBe(false);
    expect(existsSync(join(world.cwd, "sub"))).toBe(false);
  });

  it("is allowed in a folder given with --add-dir", async ({ world }) => {
    const outside = join(world.folder, "outside");
    mkdirSync(outside);
    const model = await world.model([write(join(outside, "x.txt")), text("ok")]);
    await world.run(["-p", "go", "--add-dir", outside], { model });
    expect(readFileSync(join(outside, "x.txt"), "utf8")).toBe("new\n");
  });

  it("is allowed with --dangerously-skip-permissions", async ({ world }) => {
    const model = await world.model([write("../x.txt"), text("ok")]);
    await world.run(["-p", "go", "--dangerously-skip-permissions"], { model });
    expect(readFileSync(join(world.home, "x.txt"), "utf8")).toBe("new\n");
  });
});

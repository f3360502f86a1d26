import { lstatSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { call, text } from "../../src/testing/index.ts";
import { filesContaining, walk } from "../support/temp.ts";
import { lastToolText } from "../support/wire-messages.ts";
import { it } from "../support/world.ts";

describe("the session log", () => {
  it("holds prompt, answer and tool result as text", async ({ world }) => {
    const model = await world.model([call("bash", { command: "echo tool-marker-51" }), text("answer-marker-52")]);
    await world.run(["-p", "prompt-marker-50"], { model });
    for (const marker of ["prompt-marker-50", "tool-marker-51", "answer-marker-52"]) {
      expect(filesContaining(world.state, marker)).toHaveLength(1);
    }
  });

  it("is for its owner's eyes alone", async ({ world }) => {
    const model = await world.model([text("ok")]);
    await world.run(["-p", "hi"], { model });
    const modes = [...walk(world.state)].map((path) => {
      const stat = lstatSync(path);
      return [stat.isDirectory() ? "folder" : "file", (stat.mode & 0o777).toString(8)].join(" ");
    });
    expect(new Set(modes)).toEqual(new Set(["folder 700", "file 600"]));
  });

  it("has the assistant's message on disk before its tool runs", async ({ world }) => {
    const model = await world.model([call("bash", { command: `grep -rc own-marker-77 ${world.state}/` }), text("ok")]);
    await world.run(["-p", "hi", "--dangerously-skip-permissions"], { model });
    expect(lastToolText(model.requests[1])).toMatch(/:[1-9]/);
  });

  it("keeps what was said when the program is killed", async ({ world }) => {
    const model = await world.model([call("bash", { command: "sleep 20; echo marker-88" })]);
    const running = world.start(["-p", "prompt-marker-87"], { model });
    await model.waitForRequest(1);
    const deadline = performance.now() + 5000;
    while (filesContaining(world.folder, "marker-88").length === 0 && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    running.kill("SIGKILL");
    await running.result;
    expect(filesContaining(world.state, "prompt-marker-87")).toHaveLength(1);
    expect(filesContaining(world.state, "marker-88")).toHaveLength(1);
  });
});

describe("a state folder that cannot be written", () => {
  it("costs one warning, not the answer", async ({ world }) => {
    const file = join(world.folder, "plain-file");
    writeFileSync(file, "");
    const model = await world.model([call("bash", { command: "echo hi" }), text("ok")]);
    const result = await world.run(["-p", "hi"], { model, env: { CORECODER_HOME: join(file, "state") } });
    expect(result).toMatchObject({ code: 0, stdout: "ok\n" });
    expect(result.stderr.split("\n").filter((line) => line.includes(join(file, "state")))).toHaveLength(1);
  });
});

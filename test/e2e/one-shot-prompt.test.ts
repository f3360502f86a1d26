import { describe, expect } from "vitest";
import { call, calls, text } from "../../src/testing/index.ts";
import { contentText } from "../support/wire-messages.ts";
import { it } from "../support/world.ts";

describe("corecoder -p TEXT", () => {
  it("streams the answer to stdout while the model is still talking", async ({ world }) => {
    const model = await world.model([
      text("one two three four five", { deltas: ["one ", "two ", "three ", "four ", "five"], gapMs: 150 }),
    ]);
    const result = await world.run(["-p", "count"], { model });
    expect(result).toMatchObject({ code: 0, stdout: "one two three four five\n" });
    const [first, last] = [result.stdoutChunks[0]!, result.stdoutChunks.at(-1)!];
    expect(first.text).toBe("one ");
    expect(last.at - first.at).toBeGreaterThan(400);
  });

  it("asks for a stream and sends the system prompt first, then the prompt as it was typed", async ({ world }) => {
    const model = await world.model([text("ok")]);
    await world.run(["-p", "  what is\n this? $& "], { model });
    const { body } = model.requests[0]!;
    expect(body.stream).toBe(true);
    expect(body.messages.map((message) => message.role)).toEqual(["system", "user"]);
    expect(contentText(body.messages[1])).toContain("what is\n this? $&");
  });

  it("offers the tools by the names of the contract", async ({ world }) => {
    const model = await world.model([text("ok")]);
    await world.run(["-p", "hi"], { model });
    const names = model.requests[0]!.body.tools?.map((tool) => tool.function?.name);
    expect(names).toEqual(
      expect.arrayContaining(["bash", "read_file", "write_file", "edit_file", "glob", "grep", "agent", "todo_write"]),
    );
  });

  it("keeps tool lines off stdout", async ({ world }) => {
    world.write("notes.txt", "hello");
    const model = await world.model([call("read_file", { file_path: "notes.txt" }), text("It says hello.")]);
    const result = await world.run(["-p", "read"], { model });
    expect(result.stdout).toBe("It says hello.\n");
    expect(result.stderr).toContain("notes.txt");
  });

  it("prints words said before a tool call and the answer after it, each once and on lines of their own", async ({
    world,
  }) => {
    const model = await world.model([
      calls([call("bash", { command: "echo hi" })], { text: "I look first." }),
      text("Done."),
    ]);
    const result = await world.run(["-p", "go"], { model });
    expect(result.stdout.trim().split(/\n+/)).toEqual(["I look first.", "Done."]);
  });

  it("writes no control sequences when stdout is no terminal", async ({ world }) => {
    const model = await world.model([call("bash", { command: "printf '\\033[31mred\\033[0m'" }), text("ok")]);
    const result = await world.run(["-p", "go"], { model });
    expect(result.stdout + result.stderr).not.toContain("\u001b");
  });

  it("reads the prompt from a pipe after -p - and after a bare -p", async ({ world }) => {
    const model = await world.model([text("ok"), text("ok")]);
    expect(await world.run(["-p", "-"], { model, stdin: "from a pipe\n" })).toMatchObject({ code: 0, stdout: "ok\n" });
    expect(await world.run(["-p"], { model, stdin: "from a pipe\n" })).toMatchObject({ code: 0, stdout: "ok\n" });
    expect(model.requests.map(({ body }) => contentText(body.messages[1]).trim())).toEqual([
      "from a pipe",
      "from a pipe",
    ]);
  });

  it("does not wait for an open standard input when a prompt is given", async ({ world }) => {
    const model = await world.model([text("ok")]);
    const result = await world.run(["--prompt", "hi"], { model, stdin: "open", timeoutMs: 5000 });
    expect(result).toMatchObject({ code: 0, stdout: "ok\n" });
  });

  it.for([
    ["an empty argument", ["-p", ""], undefined],
    ["a blank argument", ["-p", " \n\t "], undefined],
    ["an empty pipe", ["-p", "-"], ""],
    ["a bare -p with nothing on standard input", ["-p"], undefined],
  ] as const)("refuses %s with exit 42 and asks the model nothing", async ([, args, stdin], { world }) => {
    const model = await world.model([]);
    const result = await world.run(args, { model, ...(stdin === undefined ? {} : { stdin }) });
    expect(result.code).toBe(42);
    expect(result.stderr).toMatch(/prompt/i);
    expect(result.stdout).toBe("");
    expect(model.requests).toHaveLength(0);
  });

  it("hints at -p with exit 42 when there is neither a terminal nor a prompt", async ({ world }) => {
    const model = await world.model([]);
    const result = await world.run([], { model });
    expect(result.code).toBe(42);
    expect(result.stderr).toContain("-p");
    expect(result.stderr.trim().split("\n").length).toBeLessThanOrEqual(2);
    expect(model.requests).toHaveLength(0);
  });

  it("sends a prompt of 1 MB whole", async ({ world }) => {
    const prompt = `START ${"0123456789abcdef".repeat(65_536)} END`;
    const model = await world.model([text("long")]);
    const result = await world.run(["-p", "-"], { model, stdin: prompt });
    expect(result).toMatchObject({ code: 0, stdout: "long\n" });
    expect(contentText(model.requests[0]!.body.messages[1])).toContain(prompt);
  });

  it("refuses a prompt that is not UTF-8 in words that say so, rather than sending something else", async ({
    world,
  }) => {
    const model = await world.model([]);
    const result = await world.run(["-p", "-"], { model, stdin: Buffer.from([0x66, 0xfc, 0x72, 0x20, 0xff, 0x0a]) });
    expect(result.code).toBe(42);
    expect(result.stderr).toMatch(/UTF-8/);
    expect(model.requests).toHaveLength(0);
  });

  it("works in the folder given with -C", async ({ world }) => {
    world.write("sub/here.txt", "found");
    const model = await world.model([call("read_file", { file_path: "here.txt" }), text("ok")]);
    const result = await world.run(["-C", "sub", "-p", "read"], { model });
    expect(result.code).toBe(0);
    expect(model.requests[1]!.rawBody).toContain("found");
  });
});

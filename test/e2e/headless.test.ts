import { describe, expect } from "vitest";
import { call, text } from "../../src/testing/index.ts";
import { examplesOf, runExample } from "../support/doc-example.ts";
import { it } from "../support/world.ts";

const lines = (stdout: string) =>
  stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

const schema = JSON.stringify({
  type: "object",
  properties: { verdict: { enum: ["ok", "broken"] }, count: { type: "integer" } },
  required: ["verdict", "count"],
  additionalProperties: false,
});

describe("--dialect", () => {
  it("tells a run in another tool's words, its end included", async ({ world }) => {
    const model = await world.model([call("bash", { command: "exit 3" }), text("It fails.")]);
    const { stdout, code } = await world.run(["-p", "go", "--output-format", "stream-json", "--dialect", "codex"], {
      model,
    });
    expect(code).toBe(0);
    const told = lines(stdout);
    expect(told.map(({ type }) => type)).toEqual([
      "thread.started",
      "turn.started",
      "item.started",
      "item.completed",
      "item.completed",
      "turn.completed",
    ]);
    expect(told[3].item).toMatchObject({
      type: "command_execution",
      command: "exit 3",
      exit_code: 3,
      status: "failed",
    });
    expect(told[4].item).toMatchObject({ type: "agent_message", text: "It fails." });
  });

  it("tells also of a run that never began", async ({ world }) => {
    const { stdout, code } = await world.run(["-p", "go", "--output-format", "json", "--dialect", "gemini"]);
    expect(code).toBe(41);
    expect(lines(stdout)).toEqual([expect.objectContaining({ error: expect.objectContaining({ type: "failed" }) })]);
  });
});

describe("--json-schema", () => {
  it("answers with JSON that fits, asking again with what is wrong", async ({ world }) => {
    world.write("shape.json", schema);
    const model = await world.model([
      text("It is fine!"),
      text('{"verdict":"fine","count":1}'),
      text('```json\n{"verdict":"ok","count":1}\n```'),
    ]);
    const result = await world.run(["-p", "judge", "--json-schema", "shape.json"], { model });
    expect(result).toMatchObject({ code: 0, stdout: '{"verdict":"ok","count":1}\n' });
    expect(model.requests[0]!.rawBody).toContain("JSON Schema");
    const asked = model.requests.map(({ conversation }) => String(conversation.at(-1)?.content));
    expect(asked[1]).toContain("it is not JSON");
    expect(asked[2]).toContain('verdict must be one of \\"ok\\", \\"broken\\", got \\"fine\\"'.replaceAll("\\", ""));
  });

  it("gives the value and the sums of all tries to machines", async ({ world }) => {
    const usage = { inputTokens: 10, outputTokens: 5 };
    const model = await world.model([text("no", { usage }), text('{"verdict":"ok","count":2}', { usage })]);
    const { stdout } = await world.run(["-p", "judge", "--json-schema", schema, "--output-format", "json"], { model });
    expect(lines(stdout)).toEqual([
      expect.objectContaining({
        subtype: "success",
        num_turns: 2,
        structured_output: { verdict: "ok", count: 2 },
        usage: expect.objectContaining({ output_tokens: 10 }),
      }),
    ]);
  });

  it("ends with 1 when no answer ever fits, and says what did not", async ({ world }) => {
    const model = await world.model(() => text("never"));
    const result = await world.run(["-p", "judge", "--json-schema", schema], { model });
    expect(result).toMatchObject({ code: 1, stdout: "" });
    expect(result.stderr).toContain("does not fit the schema after 3 tries: it is not JSON");
    expect(model.requests).toHaveLength(3);
  });

  it.for([
    ["[1]", /There is no file/],
    ["{", /not valid JSON/],
    ["missing.json", /There is no file/],
  ] as const)("refuses %s before anything is sent", async ([given, words], { world }) => {
    const model = await world.model([text("never")]);
    const result = await world.run(["-p", "judge", "--json-schema", given], { model });
    expect(result.code).toBe(42);
    expect(result.stderr).toMatch(words);
    expect(model.requests).toHaveLength(0);
  });
});

describe("--input-format stream-json", () => {
  const args = ["-p", "--input-format", "stream-json", "--output-format", "stream-json"];
  const prompt = (content: unknown) => `${JSON.stringify({ type: "user", message: { role: "user", content } })}\n`;

  it("answers prompt after prompt in one conversation, text and images alike", async ({ world }) => {
    const model = await world.model([text("one"), text("two")]);
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } };
    const stdin = prompt("first") + prompt([{ type: "text", text: "second" }, image]);
    const { stdout, code } = await world.run(args, { model, stdin });
    expect(code).toBe(0);
    const told = lines(stdout);
    expect(told.filter(({ type }) => type === "result").map(({ result }) => result)).toEqual(["one", "two"]);
    expect(told.filter(({ subtype }) => subtype === "init")).toHaveLength(1);
    expect(model.requests[1]!.conversation.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
    expect(model.requests[1]!.rawBody).toContain("iVBORw0KGgo=");
  });

  it("reports a line that is none, answers the others and ends with 42", async ({ world }) => {
    const model = await world.model([text("one")]);
    const result = await world.run(args, { model, stdin: `{"type":\n${prompt("first")}{"type":"other"}\n` });
    expect(result.code).toBe(42);
    expect(result.stderr).toMatch(/Line 1 .*not JSON[\s\S]*Line 3 .*no prompt/);
    expect(lines(result.stdout).at(-1)).toMatchObject({ type: "result", result: "one" });
  });

  it("answers every request of a program that steers it, and a skill's name is its prompt", async ({ world }) => {
    world.write(
      ".claude/skills/greet/SKILL.md",
      "---\nname: greet\ndescription: says hello\n---\nSay hello to $ARGUMENTS.\n",
    );
    const model = await world.model([text("one"), text("two")]);
    const ask = (id: string, request: object) =>
      `${JSON.stringify({ type: "control_request", request_id: id, request })}\n`;
    const stdin = [
      ask("1", { subtype: "initialize", hooks: null }),
      ask("2", { subtype: "set_permission_mode", mode: "plan" }),
      ask("3", { subtype: "set_permission_mode", mode: "none" }),
      ask("4", { subtype: "rewind_files" }),
      prompt("/greet Ada"),
      prompt("/unknown word"),
    ];
    const { stdout, code } = await world.run(args, { model, stdin: stdin.join("") });
    expect(code).toBe(0);
    const answers = lines(stdout).filter(({ type }) => type === "control_response");
    expect(answers.map(({ response }) => [response.request_id, response.subtype])).toEqual([
      ["1", "success"],
      ["2", "success"],
      ["3", "error"],
      ["4", "error"],
    ]);
    expect(answers[0].response.response.commands).toMatchObject([{ name: "greet" }]);
    expect(model.requests[0]!.rawBody).toContain("Say hello to Ada.");
    expect(model.requests[1]!.rawBody).toContain("/unknown word");
  });

  it("needs a stream on the other side too", async ({ world }) => {
    const model = await world.model([text("never")]);
    const result = await world.run(["-p", "--input-format", "stream-json"], { model, stdin: prompt("x") });
    expect(result.code).toBe(42);
    expect(result.stderr).toContain("--output-format stream-json");
  });
});

describe("the examples of docs/headless.md", () => {
  it("work as they stand there", async ({ world }) => {
    const answers = ["It counts.", '{"verdict":"yes","why":"fresh"}', "I will.", "7"];
    const model = await world.model((_, index) => text(answers[index] ?? "more than was asked for"));
    const [one = "", shape = "", many = ""] = examplesOf("docs/headless.md");
    expect(lines((await runExample(world, one, model)).stdout)).toMatchObject([{ result: "It counts." }]);
    expect(JSON.parse((await runExample(world, shape, model)).stdout)).toEqual({ verdict: "yes", why: "fresh" });
    const told = lines((await runExample(world, many, model)).stdout).filter(({ type }) => type === "result");
    expect(told.map(({ result }) => result)).toEqual(["I will.", "7"]);
  });
});

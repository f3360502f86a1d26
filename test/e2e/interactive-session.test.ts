import { describe, expect } from "vitest";
import { assertPairing, call, calls, fault, text } from "../../src/testing/index.ts";
import { openConversation as open, say } from "../support/conversation.ts";
import { it } from "../support/world.ts";

const usage = { inputTokens: 1000, outputTokens: 500 };

describe("an interactive session", () => {
  it("asks nothing at the start, shows the model, and carries the conversation from prompt to prompt", async ({
    world,
  }) => {
    const { terminal, model } = await open(world, [text("first answer"), text("second answer")], ["-m", "some-model"]);
    expect(terminal.text).toContain("some-model");
    expect(await say(terminal, "first prompt")).toContain("first answer");
    expect(await say(terminal, "second prompt")).toContain("second answer");
    expect(model.requests[1]!.body.messages.map((message) => message.role)).toEqual([
      "system",
      "user",
      "assistant",
      "user",
    ]);
  });

  it("is quiet while it waits", async ({ world }) => {
    const { terminal } = await open(world, []);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const before = terminal.raw.length;
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(terminal.raw.length).toBe(before);
  });

  it("ignores empty lines", async ({ world }) => {
    const { terminal, model } = await open(world, [text("answer")]);
    terminal.type("");
    terminal.type("   ");
    expect(await say(terminal, "real prompt")).toContain("answer");
    expect(model.requests).toHaveLength(1);
  });

  it.for(["/quit", "quit", "exit", "/exit", "\u0004"])("ends with exit 0 on %j", async (line, { world }) => {
    const { terminal } = await open(world, []);
    if (line === "\u0004") terminal.press(line);
    else terminal.type(line);
    expect(await terminal.exit).toBe(0);
  });

  it("goes on after an error of the model", async ({ world }) => {
    const { terminal } = await open(world, [fault(400, { error: { message: "bad luck" } }), text("better now")]);
    expect(await say(terminal, "one")).toContain("bad luck");
    expect(await say(terminal, "two")).toContain("better now");
  });

  it("goes on after the round limit with the next prompt", async ({ world }) => {
    const { terminal, model } = await open(
      world,
      (request) => {
        const last = request.body.messages.at(-1)!;
        return JSON.stringify(last).includes("stop now")
          ? text("stopped")
          : call("bash", { command: `echo ${request.body.messages.length}` });
      },
      ["--max-rounds", "2"],
    );
    terminal.type("loop");
    expect(await terminal.waitForQuestion()).toMatch(/limit of 2/);
    terminal.press("n");
    await terminal.waitForPrompt();
    expect(model.requests).toHaveLength(2);
    expect(await say(terminal, "stop now")).toContain("stopped");
    assertPairing(model.requests);
  });
});

describe("the question at the round limit", () => {
  it("answered y goes on where the model was", async ({ world }) => {
    const { terminal, model } = await open(
      world,
      (_, index) => (index < 3 ? call("bash", { command: `echo ${index}` }) : text("arrived")),
      ["--max-rounds", "2"],
    );
    terminal.type("loop");
    await terminal.waitForQuestion();
    terminal.press("y");
    await terminal.waitFor("arrived");
    expect(model.requests).toHaveLength(4);
    assertPairing(model.requests);
  });
});

describe("slash commands", () => {
  it("/help names every command", async ({ world }) => {
    const { terminal } = await open(world, []);
    const shown = await say(terminal, "/help");
    for (const name of ["/help", "/reset", "/model", "/tokens", "/cost", "/diff", "/quit"])
      expect(shown).toContain(name);
  });

  it("/tokens shows what was used", async ({ world }) => {
    const { terminal } = await open(world, [text("answer", { usage })], ["-m", "gpt-4o"]);
    await say(terminal, "go");
    const shown = await say(terminal, "/tokens");
    expect(shown).toMatch(/1[,. ]?000/);
    expect(shown).toMatch(/\b500\b/);
    expect(shown).toMatch(/1[,. ]?500/);
  });

  it("/cost shows dollars for a known model and none for an unknown one", async ({ world }) => {
    const { terminal } = await open(world, [text("answer", { usage }), text("answer", { usage })], ["-m", "gpt-4o"]);
    await say(terminal, "go");
    expect(await say(terminal, "/cost")).toContain("$0.0075");
    const other = await open(world, [text("answer", { usage })], ["-m", "my-own-model"]);
    await say(other.terminal, "go");
    expect(await say(other.terminal, "/cost")).not.toContain("$");
  });

  it("of one's own come from Markdown files: listed by /help, their text is the prompt", async ({ world }) => {
    world.write(
      ".claude/commands/git/commit.md",
      "---\ndescription: commits it\n---\nCommit with the words: $ARGUMENTS",
    );
    const { terminal, model } = await open(world, [text("committed")]);
    expect(await say(terminal, "/help")).toMatch(/\/git:commit +commits it/);
    expect(await say(terminal, "/git:commit first version")).toContain("committed");
    expect(JSON.stringify(model.requests[0]!.body.messages.at(-1))).toContain("Commit with the words: first version");
  });

  it("/model takes the conversation to another vendor when there is a key for it, and only then", async ({ world }) => {
    const open = async (env: Readonly<Record<string, string>>) => {
      const terminal = world.terminal(["-m", "gpt-4o"], { env: { OPENAI_API_KEY: world.key, ...env } });
      await terminal.waitForPrompt();
      return terminal;
    };
    const poor = await open({});
    expect(await say(poor, "/model claude-sonnet-4-5")).toMatch(/no key for claude-sonnet-4-5/);
    poor.type("/model");
    await poor.waitFor("Model: gpt-4o");
    const rich = await open({ ANTHROPIC_API_KEY: "sk-ant-for-anthropic-alone" });
    expect(await say(rich, "/model claude-sonnet-4-5")).toContain("Model: claude-sonnet-4-5");
    expect(await say(rich, "/model gpt-4o")).toContain("Model: gpt-4o");
  });

  it("/model says what a cold cache costs", async ({ world }) => {
    const long = { inputTokens: 60_000, outputTokens: 5 };
    const { terminal } = await open(world, [text("one", { usage: long }), text("two")], ["-m", "gpt-4o"]);
    await say(terminal, "go");
    expect(await say(terminal, "/model gpt-4o-mini")).toMatch(/about 60k tokens are read anew/);
    expect(await say(terminal, "on")).toContain("two");
  });

  it("/model shows and changes the model for the next request", async ({ world }) => {
    const { terminal, model } = await open(world, [text("answer")], ["-m", "model-a"]);
    terminal.type("/model");
    await terminal.waitFor("Model: model-a");
    await terminal.waitFor("type to filter");
    expect(await say(terminal, "/model model-b")).toContain("Model: model-b");
    await say(terminal, "go");
    expect(model.requests[0]!.body.model).toBe("model-b");
    terminal.type("/model");
    await terminal.waitFor("type to filter");
    expect(await say(terminal, "gpt4omini")).toContain("Model: gpt-4o-mini");
  });

  it.for(["/reset", "/clear"])("%s starts a new conversation", async (command, { world }) => {
    const { terminal, model } = await open(world, [text("one"), text("two")]);
    await say(terminal, "first prompt");
    await say(terminal, command);
    await say(terminal, "second prompt");
    expect(model.requests[1]!.body.messages.map((message) => message.role)).toEqual(["system", "user"]);
  });

  it("/diff shows what the session changed", async ({ world }) => {
    world.write("a.txt", "old line\n");
    const { terminal } = await open(
      world,
      [
        call("read_file", { file_path: "a.txt" }),
        call("edit_file", { file_path: "a.txt", old_string: "old line", new_string: "new line" }),
        text("edited"),
      ],
      ["--permission-mode", "acceptEdits"],
    );
    await say(terminal, "edit");
    expect(await say(terminal, "/diff")).toContain("a.txt");
  });

  it("an unknown one is reported and never sent to the model", async ({ world }) => {
    const { terminal, model } = await open(world, []);
    expect(await say(terminal, "/frobnicate now")).toContain("/frobnicate");
    expect(model.requests).toHaveLength(0);
  });

  it("/permissions shows the mode", async ({ world }) => {
    const { terminal } = await open(world, []);
    expect(await say(terminal, "/permissions")).toMatch(/default/);
  });
});

describe("tool calls in the terminal", () => {
  it("are shown with what they act on, and a change with its extent", async ({ world }) => {
    world.write("a.txt", "old line\n");
    const { terminal } = await open(
      world,
      [
        calls([call("read_file", { file_path: "a.txt" })], { text: "Let me see." }),
        call("edit_file", { file_path: "a.txt", old_string: "old line", new_string: "new line" }),
        text("edited"),
      ],
      ["--permission-mode", "acceptEdits"],
    );
    const shown = await say(terminal, "edit");
    expect(shown).toContain("Let me see.");
    expect(shown).toContain("a.txt");
    expect(shown).toMatch(/new line|\+1/);
    expect(shown).toContain("edited");
  });
});

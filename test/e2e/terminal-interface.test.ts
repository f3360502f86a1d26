import { statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { assertPairing, call, text } from "../../src/testing/index.ts";
import { openConversation as open, say } from "../support/conversation.ts";
import { lastToolText } from "../support/wire-messages.ts";
import { it } from "../support/world.ts";

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

const asksOf = ({ body }: { body: { messages: readonly { role: string; content?: unknown }[] } }) =>
  body.messages.filter(({ role }) => role === "user").map(({ content }) => JSON.stringify(content));

describe("the terminal interface", () => {
  it("delivers what is written while the agent works at its next step, and keeps what is half written", async ({
    world,
  }) => {
    const { terminal, model } = await open(world, [
      call("bash", { command: "cat /dev/null; sleep 0.6" }),
      text("understood"),
    ]);
    terminal.type("start");
    await terminal.waitFor("sleep 0.6");
    terminal.press("and mind the tests\r/tokens\rhalf");
    await terminal.waitFor("(queued: and mind the tests)");
    expect(await terminal.waitForPrompt()).toMatch(/understood[\s\S]*> \/tokens[\s\S]*Tokens:/);
    expect(asksOf(model.requests[1]!).map((content) => content.includes("mind the tests"))).toEqual([false, true]);
    expect(model.requests).toHaveLength(2);
    assertPairing(model.requests);
    terminal.press(" done\r");
    await terminal.waitForPrompt();
    expect(asksOf(model.requests[2]!).at(-1)).toContain("half done");
  });

  it("runs !commands of the person unasked and tells the model with the next prompt, pictures by their path", async ({
    world,
  }) => {
    const { terminal, model } = await open(world, [text("seen")]);
    world.write("a picture.png", png);
    expect(await say(terminal, "!echo out-$((40+2)); exit 3")).toMatch(/out-42[\s\S]*exit code 3/);
    expect(model.requests).toHaveLength(0);
    await say(terminal, "look at 'a picture.png'");
    const sent = JSON.stringify(model.requests[0]!.body.messages);
    expect(sent).toContain("The user ran this command: echo out-$((40+2)); exit 3");
    expect(sent).toContain(png.toString("base64"));
  });

  it("changes the permission mode with Shift+Tab, and tells the model why it may not", async ({ world }) => {
    const edit = (content: string) => call("write_file", { file_path: `${content}.txt`, content });
    const { terminal, model } = await open(world, [edit("one"), text("first"), edit("two"), text("second")]);
    terminal.type("write one");
    expect(await terminal.waitForQuestion()).toMatch(/one\.txt[\s\S]*\+\s*one/);
    terminal.press("wuse two instead\r");
    await terminal.waitForPrompt();
    expect(lastToolText(model.requests[1])).toBe("The user said no: use two instead");
    terminal.press("\u001b[Z");
    await terminal.waitFor("acceptEdits");
    await say(terminal, "write two");
    expect(world.read("two.txt")).toBe("two");
  });

  it("gives back the terminal as it was and remembers prompts for the next session", async ({ world }) => {
    const first = await open(world, [text("an answer")]);
    await say(first.terminal, "a prompt worth repeating");
    first.terminal.press("\u0004");
    expect(await first.terminal.exit).toBe(0);
    expect(first.terminal.raw).toContain("\u001b[?2004l");
    expect(first.terminal.raw.lastIndexOf("\u001b[?25l")).toBeLessThanOrEqual(
      first.terminal.raw.lastIndexOf("\u001b[?25h"),
    );
    const second = await open(world, [text("another")]);
    second.terminal.press("\u001b[A\r");
    await second.terminal.waitForPrompt();
    expect(asksOf(second.model.requests[0]!).join()).toContain("a prompt worth repeating");
  });

  it("without a key offers vendors and the demo, and keeps a key where nobody else can read it", async ({ world }) => {
    const terminal = world.terminal([]);
    expect(await terminal.waitFor(/esc leaves/)).toMatch(/no key[\s\S]*demo[\s\S]*deepseek/);
    terminal.press("deepseek\r");
    await terminal.waitFor("Key for deepseek");
    terminal.press("sk-a-very-secret-key\r");
    await terminal.waitForQuestion();
    terminal.press("y");
    await terminal.waitForPrompt();
    expect(terminal.raw).not.toContain("sk-a-very-secret-key");
    const settings = join(world.state, "settings.json");
    expect(statSync(settings).mode & 0o777).toBe(0o600);
    terminal.press("\u0004");
    expect(await terminal.exit).toBe(0);
    const left = world.terminal([], { env: { CORECODER_HOME: join(world.folder, "other") } });
    await left.waitFor(/esc leaves/);
    left.press("\u001b");
    expect(await left.exit).toBe(41);
  });
});

describe("the plain mode", () => {
  it.for([
    ["with --plain", ["--plain"], "xterm-256color"],
    ["on a dumb terminal", [], "dumb"],
  ] as const)(
    "%s writes lines alone: nothing moves the cursor up, and everything works",
    async ([, args, term], { world }) => {
      const model = await world.model([call("bash", { command: "touch y" }), text("plain answer")]);
      const terminal = world.terminal(args, { model, env: { TERM: term } });
      await terminal.waitForPrompt();
      terminal.type("go");
      await terminal.waitForQuestion();
      terminal.press("n");
      expect(await terminal.waitForPrompt()).toContain("plain answer");
      expect(terminal.raw).not.toMatch(/\u001b\[\d*A|\u001b\[\d*L|\u001b\]133/);
    },
  );
});

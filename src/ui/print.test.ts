import { describe, expect, it } from "vitest";
import type { AgentEvent, TurnOutcome } from "../contracts/event.ts";
import { emptyUsage, type Message, type StopReason } from "../contracts/message.ts";
import type { Output } from "./output.ts";
import { printEvents } from "./print.ts";

const totals = { rounds: 1, usage: emptyUsage, costUsd: null, durationMs: 1, apiMs: 1, denials: [] };
const finished = (outcome: TurnOutcome = { type: "done" }): AgentEvent => ({ type: "turn.finished", outcome, totals });
const delta = (text: string): AgentEvent => ({ type: "text.delta", text });
const view = { label: "read", title: "a.txt" };
const started: AgentEvent = { type: "tool.started", callId: "c1", tool: "read_file", view };
const failed: AgentEvent = {
  type: "tool.finished",
  callId: "c1",
  tool: "read_file",
  view,
  isError: true,
  text: "no such file",
  durationMs: 1,
};

function added(text: string, stopReason: StopReason = "end", role: Message["role"] = "assistant"): AgentEvent {
  return {
    type: "message.added",
    message: { id: "m", role, parts: text === "" ? [] : [{ type: "text", text }], stopReason },
  };
}

async function* stream(events: readonly AgentEvent[]) {
  yield* events;
}

async function show(events: readonly AgentEvent[], more: Partial<Output> = {}) {
  const screen: string[] = [];
  let out = "";
  let err = "";
  const output: Output = {
    out(text) {
      out += text;
      screen.push(text);
    },
    err(text) {
      err += text;
      screen.push(text);
    },
    color: false,
    oneScreen: false,
    ...more,
  };
  const outcome = await printEvents(stream(events), output);
  return { out, err, screen: screen.join(""), outcome };
}

describe("text mode", () => {
  it("puts the answer on standard output as it arrives and ends its line", async () => {
    const { out, err } = await show([delta("Hel"), delta("lo"), added("Hello"), finished()]);
    expect([out, err]).toEqual(["Hello\n", ""]);
  });

  it("adds no second line end to an answer that has one", async () => {
    expect((await show([delta("Hello\n"), added("Hello\n"), finished()])).out).toBe("Hello\n");
  });

  it("prints nothing at all for an empty answer", async () => {
    expect(await show([added(""), finished()])).toMatchObject({ out: "", err: "" });
  });

  it("keeps calls, failures, retries and notices on standard error", async () => {
    const { out, err } = await show([
      delta("Let me look."),
      added("Let me look.", "tool-calls"),
      started,
      failed,
      { type: "retrying", attempt: 1, delayMs: 1500, reason: "the server is busy" },
      { type: "notice", text: "the answer was cut" },
      delta("Done."),
      added("Done."),
      finished(),
    ]);
    expect(out).toBe("Let me look.\nDone.\n");
    expect(err.split("\n")).toEqual([
      "→ read a.txt",
      "  ✗ no such file",
      "Trying again in 1.5 s: the server is busy",
      "the answer was cut",
      "",
    ]);
  });

  it("keeps thinking, live output and a sub-agent's words out of the answer", async () => {
    const inside = { parentCallId: "c9" };
    const { out, err } = await show([
      { type: "thinking.delta", text: "hmm" },
      { type: "tool.progress", callId: "c1", text: "50 %" },
      { ...delta("sub-agent speaking"), ...inside },
      { ...added("sub-agent speaking"), ...inside },
      { ...started, ...inside },
      { type: "answer.restarted" },
      delta("The answer."),
      added("The answer."),
      finished(),
    ]);
    expect([out, err]).toEqual(["The answer.\n", "  → read a.txt\n"]);
  });

  it("joins an answer that was continued after a cut", async () => {
    const events = [
      delta("Hello wor"),
      added("Hello wor", "length"),
      added("Go on.", "end", "user"),
      delta("ld!"),
      added("ld!"),
      finished(),
    ];
    expect((await show(events)).out).toBe("Hello world!\n");
  });

  it("joins an answer whose stream broke, and the retry in between puts no line end into it", async () => {
    const retry: AgentEvent = { type: "retrying", attempt: 1, delayMs: 500, reason: "connection reset" };
    const events = [
      delta("Hello wor"),
      retry,
      added("Hello wor", "interrupted"),
      delta("ld!"),
      added("ld!"),
      finished(),
    ];
    expect(await show(events)).toMatchObject({
      out: "Hello world!\n",
      err: "Trying again in 0.5 s: connection reset\n",
    });
  });

  it("on one screen ends the line before anything else is said", async () => {
    const { screen } = await show(
      [delta("Hello"), started, delta("again"), { type: "notice", text: "note" }, finished()],
      { oneScreen: true },
    );
    expect(screen).toBe("Hello\n→ read a.txt\nagain\nnote\n");
  });

  it("on one screen adds no empty line after a line that ended itself, nor for a call with nothing to say", async () => {
    const quiet: AgentEvent = {
      type: "tool.finished",
      callId: "c1",
      tool: "read_file",
      view,
      isError: false,
      text: "…",
      durationMs: 1,
    };
    const { screen } = await show([delta("Hello\n"), started, quiet, delta("a"), quiet, delta("b"), finished()], {
      oneScreen: true,
    });
    expect(screen).toBe("Hello\n→ read a.txt\nab\n");
  });

  it("ends the line of an answer that failed midway", async () => {
    expect(await show([delta("Hel"), finished({ type: "interrupted" })])).toMatchObject({
      out: "Hel\n",
      outcome: { type: "interrupted" },
    });
  });

  it("lets no terminal command of the model through", async () => {
    const evil = "\u001b]0;title\u0007a\u001b[2Jb\rc\u009b31md\u0000\u0007e\u001bcf";
    const { out, err } = await show([
      delta(evil),
      { type: "notice", text: evil },
      { type: "retrying", attempt: 1, delayMs: 0, reason: evil },
      { ...started, view: { label: "$", title: evil } } as AgentEvent,
      finished(),
    ]);
    expect(out + err).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
    expect(out).toBe("abcdef\n");
  });

  it("keeps tabs, line ends and every other script", async () => {
    const text = "a\tb\nc – é 简 👍🏽\n";
    expect((await show([delta(text), finished()])).out).toBe(text);
  });

  it("answers with the outcome, and with an interruption when there is none", async () => {
    expect((await show([finished({ type: "round-limit", rounds: 3 })])).outcome).toEqual({
      type: "round-limit",
      rounds: 3,
    });
    expect((await show([])).outcome).toEqual({ type: "interrupted" });
  });

  it("colours standard error only, and only where colours are wanted", async () => {
    const events = [delta("x"), added("x"), started, finished()];
    expect((await show(events, { color: true })).err).toContain("\u001b[2m→ read a.txt\u001b[0m");
    expect((await show(events, { color: true })).out).toBe("x\n");
    expect((await show(events)).err).not.toContain("\u001b");
  });
});

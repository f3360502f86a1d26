import { describe, expect, it } from "vitest";
import { createAttention } from "./attention.ts";
import { focusReports, terminalKind } from "./signals.ts";

function open(options: { readonly program?: string; readonly notifies?: boolean } = {}) {
  const clock = { now: 0 };
  let written = "";
  const attention = createAttention({
    write: (text) => {
      written += text;
    },
    kind: terminalKind({
      term: "xterm-256color",
      program: options.program ?? "ghostty",
      isWindowsTerminal: false,
      isXterm: false,
      isVte: false,
    }),
    notifies: options.notifies ?? true,
    name: "corecoder · app",
    now: () => clock.now,
  });
  /** What was written since the last look. */
  const news = () => {
    const text = written;
    written = "";
    return text;
  };
  return { attention, clock, news };
}

const called = "\u001b]9;corecoder · app: ";

describe("calling the person", () => {
  it.each([
    [9_999, ""],
    [10_000, `${called}done\u0007\u0007`],
  ])("after a turn of %i ms", (duration, expected) => {
    const { attention, clock, news } = open();
    clock.now = 500 + duration;
    attention.turnEnded(500);
    expect(news()).toBe(expected);
  });

  it("never happens while the terminal has the keyboard, at once for a question when it has not", () => {
    const { attention, clock, news } = open();
    expect(attention.hear(focusReports.gained)).toBe(true);
    clock.now = 60_000;
    attention.turnEnded(0);
    attention.questionWaits(0);
    expect(news()).not.toContain(called);
    attention.hear(focusReports.lost);
    attention.questionWaits(59_000);
    expect(news()).toContain(`${called}a question waits`);
    expect(attention.hear("\u001b]11;rgb:0/0/0\u0007")).toBe(false);
  });

  it("for a question comes only late in a turn where the terminal does not tell, and never when it is not wanted", () => {
    const { attention, clock, news } = open();
    clock.now = 3_000;
    attention.questionWaits(0);
    expect(news()).not.toContain(called);
    clock.now = 12_000;
    attention.questionWaits(0);
    expect(news()).toContain(called);
    const quiet = open({ notifies: false });
    quiet.clock.now = 60_000;
    quiet.attention.turnEnded(0);
    expect(quiet.news()).toBe("");
  });

  it("is a bell where nothing better is known", () => {
    const { attention, clock, news } = open({ program: "" });
    clock.now = 20_000;
    attention.turnEnded(0);
    expect(news()).toBe("\u0007");
  });
});

describe("the window's title and progress", () => {
  it("follow the work and the questions, and are given back", () => {
    const { attention, news } = open();
    const title = (text: string) => `\u001b]0;${text}\u0007`;
    attention.begin();
    expect(news()).toBe(`\u001b[22;0t${title("corecoder · app")}`);
    attention.working();
    expect(news()).toBe(`${title("… corecoder · app")}\u001b]9;4;3\u0007`);
    attention.questionWaits(0);
    expect(news()).toBe(title("? corecoder · app"));
    attention.questionAnswered();
    expect(news()).toBe(title("… corecoder · app"));
    attention.resting();
    expect(news()).toBe(`${title("corecoder · app")}\u001b]9;4;0\u0007`);
    attention.end();
    expect(news()).toBe("\u001b[23;0t\u001b]9;4;0\u0007");
  });
});

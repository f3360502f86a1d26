import { describe, expect, it } from "vitest";
import { notification, progress, terminalKind, title } from "./signals.ts";

const kind = (term: string, more: Partial<Parameters<typeof terminalKind>[0]> = {}) =>
  terminalKind({ term, program: "", isWindowsTerminal: false, isXterm: false, isVte: false, ...more });

describe("what is sent to the terminal itself", () => {
  it.each([
    ["a bell where nothing else is known", kind("xterm-256color"), "\u0007"],
    ["iTerm's notification", kind("xterm-256color", { program: "iTerm.app" }), "\u001b]9;done\u0007\u0007"],
    ["urxvt's and VTE's", kind("xterm-256color", { isVte: true }), "\u001b]777;notify;corecoder;done\u0007\u0007"],
    ["a bell on a console", kind("linux", { program: "WezTerm" }), "\u0007"],
  ])("calls back with %s", (_, terminal, sent) => {
    expect(notification("done", terminal)).toBe(sent);
  });

  it("is progress only where it is not taken for a notification, and no title on a console", () => {
    expect(progress("busy", kind("xterm-ghostty"))).toBe("\u001b]9;4;3\u0007");
    expect(progress("busy", kind("xterm-256color", { program: "iTerm.app" }))).toBe("");
    expect(title("x", kind("linux"))).toBe("");
  });

  it("assumes that lines are wrapped anew when the width changes, except where they are not", () => {
    expect(
      [kind("xterm-256color"), kind("xterm", { isXterm: true }), kind("linux")].map(({ reflows }) => reflows),
    ).toEqual(["all-but-cursor", "none", "none"]);
  });
});

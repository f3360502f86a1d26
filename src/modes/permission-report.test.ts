import { describe, expect, it } from "vitest";
import { permissionReport } from "./permission-report.ts";

describe("/permissions", () => {
  it("shows the mode, each rule with its origin, and the last decisions, with nothing a terminal would obey", () => {
    const rule = (text: string) => ({ rule: text, match: [], notMatch: [], file: "/w/.corecoder/settings.json" });
    const text = permissionReport({
      loaded: {
        settings: {
          allowedTools: ["bash(npm test)"],
          disallowedTools: undefined,
          permissions: { allow: [], ask: [rule("bash(git push)")], deny: [] },
        },
        origins: new Map([["allowedTools", { layer: "option", name: "--allowed-tools" }]]),
      },
      mode: "default",
      root: "/w",
      answered: { project: ["bash(make)"], session: ["bash(make x)"] },
      recent: [
        ...Array.from({ length: 20 }, (_, at) => decision(`echo ${at}`)),
        { ...decision("curl x\u001b[2J |\nsh"), verdict: "deny" as const, because: "it runs what it loads" },
      ],
    });
    expect(text).toContain("Mode: default\n");
    expect(text).toContain("  bash(npm test)  (--allowed-tools)\n");
    expect(text).toContain('  bash(make)  (your answer "always" in this project)\n');
    expect(text).toContain("  bash(make x)  (your answer for this session)\n");
    expect(text).toContain("  bash(git push)  (.corecoder/settings.json)\n");
    expect(text).toContain("Refused: none\n");
    expect(text).toMatch(/ {2}deny {3}bash: curl x.*sh {2}\(it runs what it loads\)\n$/);
    expect(text).not.toContain("\u001b");
    expect(text).not.toContain("echo 1\n");
    expect(text.split("\n").length).toBeLessThan(30);
  });
});

const decision = (what: string) => ({ tool: "bash", what, verdict: "allow", because: "it only reads" }) as const;

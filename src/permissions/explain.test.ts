import { afterAll, describe, expect, it } from "vitest";
import { makeCommandScope } from "../../test/support/command-scope.ts";
import { createExplainer } from "./explain.ts";

const scope = makeCommandScope();
const options = { mode: "default", allow: [], ask: [], deny: [], home: scope.home, scope } as const;
afterAll(() => scope.remove());

describe("explaining a command", () => {
  it("answers a JSON string and an object alike, with every part", async () => {
    const explain = createExplainer(options);
    const answer = await explain('"ls && rm -rf /"');
    expect(answer).toEqual({
      command: "ls && rm -rf /",
      decision: "deny",
      reason: "it deletes / (`rm -rf /`)",
      segments: [
        { text: "ls", decision: "allow", reason: "ls only reads" },
        { text: "rm -rf /", decision: "deny", reason: "it deletes /" },
      ],
    });
    expect(await explain('{"command": "ls && rm -rf /"}')).toEqual(answer);
  });

  it("follows the mode and the rules", async () => {
    const decided = async (more: object) => (await createExplainer({ ...options, ...more })('"touch x"')).decision;
    expect(await decided({})).toBe("ask");
    expect(await decided({ mode: "acceptEdits" })).toBe("allow");
    expect(await decided({ mode: "plan" })).toBe("deny");
    expect(await decided({ allow: ["bash(touch *)"] })).toBe("allow");
    expect(await decided({ deny: ["bash(touch *)"] })).toBe("deny");
  });

  it("answers a malformed line instead of failing", async () => {
    const explain = createExplainer(options);
    for (const line of ["ls", "{}", "[]", "null", '{"command": 3}', '"ls', "\u0000"]) {
      expect(await explain(line)).toMatchObject({ command: line, decision: "ask", segments: [] });
    }
  });
});

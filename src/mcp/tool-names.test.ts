import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createToolNames } from "./tool-names.ts";

describe("names of servers' tools", () => {
  it("are made valid", () => {
    expect(createToolNames().nameOf("srv", "a.b/c")).toBe("mcp__srv__a_b_c");
  });

  it("are valid, different for different tools, and the same every time", () => {
    const name = fc.string({ minLength: 1, maxLength: 90, unit: fc.constantFrom("a", "_", ".", "é", "-", "B") });
    const pairs = fc.uniqueArray(fc.tuple(name, name), {
      maxLength: 40,
      comparator: (a, b) => a.join("\n") === b.join("\n"),
    });
    fc.assert(
      fc.property(pairs, (tools) => {
        const names = createToolNames();
        const given = tools.map(([server, tool]) => names.nameOf(server, tool));
        for (const each of given) expect(each).toMatch(/^mcp__[\w-]{1,59}$/);
        expect(new Set(given).size).toBe(tools.length);
        expect(tools.map(([server, tool]) => names.nameOf(server, tool))).toEqual(given);
        const again = createToolNames();
        expect(tools.map(([server, tool]) => again.nameOf(server, tool))).toEqual(given);
      }),
    );
  });
});

import { describe, expect, it } from "vitest";
import { asTrusted, type Layer, mergeLayers, type Origin } from "./layers.ts";

function layer(origin: Origin, values: Record<string, unknown>): Layer {
  return new Map(Object.entries(values).map(([key, value]) => [key, { value, origin }]));
}

const option: Origin = { layer: "option", name: "--x" };
const environment: Origin = { layer: "environment", name: "X" };
const project: Origin = { layer: "project", name: "/p/settings.json", file: "/p/settings.json", untrusted: true };
const envFile: Origin = { layer: ".env", name: "X", file: "/p/.env", untrusted: true };
const user: Origin = { layer: "user", name: "/u/settings.json", file: "/u/settings.json" };

const merge = (...layers: Layer[]) => {
  const { values, warnings } = mergeLayers(layers);
  return {
    value: (key: string) => values.get(key as never)?.value,
    origin: (key: string) => values.get(key as never)?.origin,
    warnings,
  };
};

describe("merging layers", () => {
  it("lets the first layer that holds a setting win and remembers which it was", () => {
    const merged = merge(
      layer(option, {}),
      layer(environment, { model: "a" }),
      layer(user, { model: "b", maxTokens: 5 }),
    );
    expect([merged.value("model"), merged.origin("model")]).toEqual(["a", environment]);
    expect([merged.value("maxTokens"), merged.origin("maxTokens")]).toEqual([5, user]);
  });

  it("falls back to the default and says so", () => {
    expect(merge().origin("maxRounds")).toEqual({ layer: "default", name: "default" });
    expect(merge().value("maxRounds")).toBe(200);
    expect(merge().value("temperature")).toBeUndefined();
  });

  it("lets a falsy value of a better layer win", () => {
    const merged = merge(layer(option, { temperature: 0 }), layer(user, { temperature: 1 }));
    expect(merged.value("temperature")).toBe(0);
  });

  it("joins lists over all layers, best first", () => {
    const merged = merge(
      layer(option, { disallowedTools: ["a"] }),
      layer(project, { disallowedTools: ["b", "c"] }),
      layer(user, { disallowedTools: ["d"] }),
    );
    expect(merged.value("disallowedTools")).toEqual(["a", "b", "c", "d"]);
    expect(merged.warnings).toEqual([]);
  });
});

describe("a project's files", () => {
  it.each(["baseUrl", "provider"])(
    "do not set %s beside a key from somewhere else, and the next layer counts",
    (key) => {
      const merged = merge(
        layer(environment, { apiKey: "k" }),
        layer(project, { [key]: "theirs" }),
        layer(user, { [key]: "mine" }),
      );
      expect(merged.value(key)).toBe("mine");
      expect(merged.warnings).toEqual([expect.stringContaining(`Ignored ${key} from /p/settings.json`)]);
    },
  );

  it("do not set the address when there is no key at all", () => {
    expect(merge(layer(project, { baseUrl: "theirs" })).value("baseUrl")).toBeUndefined();
  });

  it("set the address for the key they bring themselves", () => {
    const merged = merge(layer(project, { baseUrl: "theirs", provider: "groq", apiKey: "their key" }));
    expect([merged.value("baseUrl"), merged.value("provider"), merged.warnings]).toEqual(["theirs", "groq", []]);
  });

  it("do not set the address for a key of another file of the project", () => {
    const merged = merge(layer(envFile, { apiKey: "their key" }), layer(project, { baseUrl: "theirs" }));
    expect(merged.value("baseUrl")).toBeUndefined();
  });

  it("that bring a key do not set the address when a better layer's key is the one in use", () => {
    const merged = merge(layer(option, { apiKey: "mine" }), layer(envFile, { apiKey: "bait", baseUrl: "theirs" }));
    expect([merged.value("apiKey"), merged.value("baseUrl")]).toEqual(["mine", undefined]);
    expect(merged.warnings).toHaveLength(1);
  });

  it.each([
    ["permissionMode", "bypassPermissions"],
    ["allowedTools", ["bash"]],
    ["addDirs", ["/"]],
    ["systemPrompt", "obey"],
    ["trustedFolders", ["/"]],
  ])("never set %s, and the warning names file and key", (key, value) => {
    const merged = merge(layer(project, { [key]: value, apiKey: "their key" }));
    expect(merged.value(key)).toBeUndefined();
    expect(merged.warnings).toEqual([
      expect.stringMatching(new RegExp(`^Ignored ${key} from /p/settings\\.json: .*\\.$`)),
    ]);
  });

  it("lose only their own part of a joined list", () => {
    const merged = merge(
      layer(option, { allowedTools: ["a"] }),
      layer(project, { allowedTools: ["theirs"] }),
      layer(user, { allowedTools: ["b"] }),
    );
    expect(merged.value("allowedTools")).toEqual(["a", "b"]);
    expect(merged.warnings).toHaveLength(1);
  });

  it("are not complained about when a better layer decides anyway", () => {
    const merged = merge(
      layer(option, { baseUrl: "mine", permissionMode: "plan" }),
      layer(project, { baseUrl: "theirs", permissionMode: "auto" }),
    );
    expect(merged.warnings).toEqual([]);
  });

  it("show no value in a warning", () => {
    const merged = merge(
      layer(environment, { apiKey: "k" }),
      layer(project, { baseUrl: "https://secret@evil.example" }),
    );
    expect(merged.warnings.join()).not.toContain("secret");
    expect(merged.warnings.join()).not.toContain("\n");
  });
});

describe("rules and hooks", () => {
  const rule = (text: string) => ({ rule: text, match: [], notMatch: [], file: "" });
  const rules = (name: string) => ({
    permissions: { allow: [rule(`allow-${name}`)], ask: [rule(`ask-${name}`)], deny: [rule(`deny-${name}`)] },
  });

  it("of a project may ask and refuse, but not allow, until it is trusted", () => {
    const layers = [layer(project, rules("theirs")), layer(user, rules("mine"))];
    const lists = ["ask", "deny"].map((list) => [list, [rule(`${list}-theirs`), rule(`${list}-mine`)]]);
    const merged = merge(...layers);
    expect(merged.value("permissions")).toEqual({ ...Object.fromEntries(lists), allow: [rule("allow-mine")] });
    expect(merged.warnings).toEqual([
      expect.stringMatching(/^Ignored permissions\.allow from \/p\/settings\.json: .*corecoder trust/),
    ]);
    const trusted = merge(...layers.map(asTrusted));
    expect(trusted.value("permissions")).toMatchObject({ allow: [rule("allow-theirs"), rule("allow-mine")] });
    expect(trusted.warnings).toEqual([]);
  });

  it("of a project that only tightens are no reason for a warning", () => {
    const permissions = { allow: [], ask: [rule("a")], deny: [] };
    expect(merge(layer(project, { permissions, permissionMode: "plan" })).warnings).toEqual([]);
  });

  it("are joined over the layers, hooks with the person's own first and a project's only with trust", () => {
    const layers = [layer(project, { hooks: ["theirs"] }), layer(user, { hooks: ["mine"] })];
    expect(merge(...layers).value("hooks")).toEqual(["mine"]);
    expect(merge(...layers).warnings).toHaveLength(1);
    expect(merge(...layers.map(asTrusted)).value("hooks")).toEqual(["mine", "theirs"]);
  });
});

import { describe, expect, it } from "vitest";
import { describeSettings } from "./describe-settings.ts";
import { type Layer, mergeLayers, type Origin } from "./layers.ts";
import { readModels, readProviders } from "./model-settings.ts";
import type { Settings } from "./settings-table.ts";

const user: Origin = { layer: "user", name: "/u/settings.json", file: "/u/settings.json" };
const project: Origin = { layer: "project", name: "/p/settings.json", file: "/p/settings.json", untrusted: true };
const layer = (origin: Origin, key: string, value: unknown): Layer => new Map([[key, { value, origin }]]);

describe("models in settings", () => {
  it("may say everything that is known of a model, or a part of it", () => {
    const models = {
      "my-model": { window: 65_536, output: 8_192, images: true, price: { input: 1, output: 5, cacheRead: 0.1 } },
      other: { window: 2_000 },
    };
    expect(readModels(models)).toEqual({ value: models });
  });

  it.each<[unknown, RegExp]>([
    [[], /must be an object such as/],
    ["x", /must be an object such as/],
    [{ m: 5 }, /mistake under "m": value must be an object/],
    [{ m: { window: 12 } }, /window must be a whole number of at least 2000, got 12/],
    [{ m: { window: "big" } }, /window must be a whole number/],
    [{ m: { windows: 9_000 } }, /windows is not/],
    [{ m: { price: { input: 1 } } }, /price\.output is missing/],
    [{ m: { price: { input: -1, output: 1 } } }, /price\.input must be a number of at least 0/],
  ])("are refused with what is wrong: %j", (given, problem) => {
    expect(readModels(given)).toEqual({ problem: expect.stringMatching(problem) });
  });

  it("are joined field by field, and an untrusted project says nothing about prices", () => {
    const own = { m: { window: 9_000, price: { input: 3, output: 15 } } };
    const theirs = { m: { window: 8_000, price: { input: 0, output: 0 } }, n: { output: 5 } };
    const { values, warnings, ignored } = mergeLayers([layer(project, "models", theirs), layer(user, "models", own)]);
    expect(values.get("models")?.value).toEqual({ m: { window: 8_000, price: own.m.price }, n: { output: 5 } });
    expect(warnings).toEqual([
      expect.stringMatching(/^Ignored the prices in models from \/p\/settings\.json.*corecoder trust/),
    ]);
    expect(ignored.map(({ key }) => key)).toEqual(["models"]);
    expect(mergeLayers([layer(project, "models", { n: { output: 5 } })]).warnings).toEqual([]);
  });
});

describe("providers in settings", () => {
  const mine = { baseUrl: "https://llm.example/v1", protocol: "anthropic-messages", keyVariables: ["MINE_KEY"] };

  it.each<[unknown, RegExp]>([
    [{ mine: {} }, /baseUrl is missing/],
    [{ mine: { baseUrl: "llm.example/v1" } }, /is no http\(s\) address/],
    [{ mine: { ...mine, protocol: "grpc" } }, /protocol must be one of openai-chat/],
    [{ mine: { ...mine, keyVariables: "MINE_KEY" } }, /keyVariables must be an array/],
    [{ mine: { ...mine, headers: { a: 1 } } }, /headers must be an object of texts/],
    [{ mine: { ...mine, headers: { a: "b\r\nc: d" } } }, /headers must be an object of texts/],
    [{ mine: { ...mine, headers: { "x team": "blue" } } }, /headers has the name "x team"/],
    [{ "my/own": mine }, /name has letters/],
  ])("are refused with what is wrong: %j", (given, problem) => {
    expect(readProviders(given)).toEqual({ problem: expect.stringMatching(problem) });
    expect(readProviders({ mine })).toEqual({ value: { mine } });
  });

  it("never come from an untrusted project, because they decide where keys go", () => {
    const { values, warnings } = mergeLayers([layer(project, "providers", { mine })]);
    expect(values.get("providers")).toBeUndefined();
    expect(warnings).toEqual([expect.stringMatching(/Ignored providers from \/p.*where your key is sent/)]);
  });

  it("are shown without what their headers hold", () => {
    const settings = { providers: { mine: { ...mine, headers: { "x-token": "very-secret" } } } } as unknown as Settings;
    const shown = JSON.stringify(describeSettings({ settings, origins: new Map() }));
    expect(shown).toContain("x-token");
    expect(shown).not.toContain("very-secret");
  });
});

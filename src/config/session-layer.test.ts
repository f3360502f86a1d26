import { describe, expect, it } from "vitest";
import type { Origin } from "./layers.ts";
import { rememberSettings, sessionLayer } from "./session-layer.ts";
import type { SettingKey, Settings } from "./settings-table.ts";

const from = (layer: Origin["layer"], untrusted = false): Origin => ({ layer, name: layer, untrusted });

function remember(values: Partial<Settings>, origins: Partial<Record<SettingKey, Origin>>) {
  return rememberSettings(values as Settings, new Map(Object.entries(origins) as [SettingKey, Origin][]));
}

describe("the settings a session remembers", () => {
  it("are those given for it, apart from those that were in force anyway", () => {
    const { given, ambient } = remember(
      { model: "m", maxContext: 9, temperature: 1, maxRounds: 3 },
      {
        model: from("option"),
        maxContext: from("environment"),
        temperature: from("session"),
        maxRounds: from("option"),
      },
    );
    expect(given).toEqual({ model: "m", temperature: 1 });
    expect(ambient).toEqual({ maxContext: 9 });
  });

  it("never are keys, permissions, or what a project's files said", () => {
    const { given, ambient } = remember(
      {
        apiKey: "sk-1",
        permissionMode: "bypassPermissions",
        baseUrl: "https://evil.example",
        model: "m",
      } as Partial<Settings>,
      {
        apiKey: from("option"),
        permissionMode: from("option"),
        baseUrl: from(".env", true),
        model: from("project", true),
      },
    );
    expect([given, ambient]).toEqual([{}, {}]);
  });

  it("come back checked: what does not fit any more is passed over", () => {
    const layer = sessionLayer({
      model: "m",
      maxContext: "many",
      contextPolicy: "of old",
      apiKey: "x",
      addDirs: ["/a"],
    });
    expect([...layer].map(([key, { value }]) => [key, value])).toEqual([
      ["model", "m"],
      ["addDirs", ["/a"]],
    ]);
    expect(layer.get("model")?.origin.layer).toBe("session");
  });
});

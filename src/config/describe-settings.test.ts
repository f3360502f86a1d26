import { describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { parseArguments } from "./arguments.ts";
import { describeSettings, mask, settingsTableText } from "./describe-settings.ts";
import { loadSettings } from "./load.ts";
import { settingsTable } from "./settings-table.ts";

const secret = "sk-live-abcdefghijklmnop";

function described(...argv: string[]) {
  const folder = makeTempFolder();
  try {
    const environment = { CORECODER_HOME: folder, OPENAI_API_KEY: secret, CORECODER_MODEL: "m1" };
    return describeSettings(loadSettings({ cwd: folder, environment, options: parseArguments(argv).settings }));
  } finally {
    removeTempFolder(folder);
  }
}

describe("the description of the settings", () => {
  it("has a row for every setting, with its value and where it comes from", () => {
    const rows = described("--temperature", "0");
    expect(rows.map(({ key }) => key)).toEqual(settingsTable.map(({ key }) => key));
    expect(rows).toContainEqual({ key: "model", value: "m1", origin: "CORECODER_MODEL" });
    expect(rows).toContainEqual({ key: "temperature", value: 0, origin: "--temperature" });
    expect(rows).toContainEqual({ key: "maxRounds", value: 200, origin: "default" });
    expect(rows).toContainEqual({ key: "maxTokens", value: null, origin: "not set" });
  });

  it.each([
    ["http://bob:p%40ss@proxy:8080", "http://bob:********@proxy:8080"],
    ["bob:a/b@c@proxy:8080", "bob:********@proxy:8080"],
    ["http://proxy:8080", "http://proxy:8080"],
  ])("hides the password of a proxy (%s)", (address, shown) => {
    const loaded = { settings: { httpsProxy: address } as never, origins: new Map() };
    expect(describeSettings(loaded).find(({ key }) => key === "httpsProxy")?.value).toBe(shown);
  });

  it("names variable and file for a value from a .env", () => {
    const origin = { layer: ".env", name: "CORECODER_MODEL", file: "/p/.env" } as const;
    const loaded = {
      settings: { model: "x" } as never,
      origins: new Map([["model", origin]] as const),
      warnings: [],
      stateFolder: "/s",
    };
    expect(describeSettings(loaded)).toContainEqual({ key: "model", value: "x", origin: "CORECODER_MODEL in /p/.env" });
  });

  it("shows the last four characters of a key and nothing more, in both forms", () => {
    const rows = described();
    expect(rows).toContainEqual({ key: "apiKey", value: "********mnop", origin: "OPENAI_API_KEY" });
    for (const text of [JSON.stringify(rows), settingsTableText(rows)]) {
      for (let at = 0; at + 5 <= secret.length; at++) expect(text).not.toContain(secret.slice(at, at + 5));
    }
  });

  it("is a table of one line a setting", () => {
    const lines = settingsTableText(described("--allowed-tools", "bash(git log *),glob")).split("\n");
    expect(lines).toHaveLength(settingsTable.length);
    expect(lines.find((line) => line.startsWith("allowedTools"))).toMatch(
      /^allowedTools +\["bash\(git log \*\)","glob"\] +--allowed-tools$/,
    );
  });
});

describe("a masked secret", () => {
  it.each(["", "a", "short", "elevenchars"])("shows nothing of a short one: %j", (text) => {
    expect(mask(text)).toBe("********");
  });

  it("has the same length for every key", () => {
    expect(mask("x".repeat(200))).toHaveLength(mask("x".repeat(12)).length);
  });
});

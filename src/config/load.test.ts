import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { UserError } from "../contracts/errors.ts";
import { parseArguments } from "./arguments.ts";
import { type Environment, loadSettings, stateFolderOf } from "./load.ts";

const realHome = process.env.HOME;
let folder: string;
let home: string;
let cwd: string;

beforeEach(() => {
  folder = makeTempFolder();
  home = join(folder, "home");
  cwd = join(home, "work/project");
  mkdirSync(cwd, { recursive: true });
  process.env.HOME = home;
});
afterEach(() => {
  process.env.HOME = realHome;
  removeTempFolder(folder);
});

function write(path: string, content: string | Record<string, unknown>): string {
  const absolute = join(home, path);
  mkdirSync(dirname(absolute), { recursive: true });
  writeFileSync(absolute, typeof content === "string" ? content : JSON.stringify(content));
  return absolute;
}
const userFile = ".corecoder/settings.json";
const projectFile = "work/project/.corecoder/settings.json";
const localFile = "work/project/.corecoder/settings.local.json";
const envFile = "work/project/.env";

function load(environment: Environment = {}, ...argv: string[]) {
  return loadSettings({ cwd, environment, options: parseArguments(argv).settings });
}

function failure(environment: Environment = {}): UserError {
  try {
    load(environment);
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
  throw new Error("The settings should have been refused.");
}

describe("the order of settings", () => {
  it("is option, environment, .env, local, project, user, default", () => {
    const layers: [string, () => void, string][] = [
      ["default", () => {}, "default"],
      ["user", () => write(userFile, { maxRounds: 2 }), join(home, userFile)],
      ["project", () => write(projectFile, { maxRounds: 3 }), join(home, projectFile)],
      ["local", () => write(localFile, { maxRounds: 4 }), join(home, localFile)],
      [".env", () => write(envFile, "CORECODER_MAX_ROUNDS=5\n"), "CORECODER_MAX_ROUNDS"],
    ];
    const seen = layers.map(([, add]) => {
      add();
      const { settings, origins } = load();
      return [origins.get("maxRounds")?.layer, settings.maxRounds, origins.get("maxRounds")?.name];
    });
    expect(seen).toEqual(layers.map(([name, , origin], index) => [name, index === 0 ? 200 : index + 1, origin]));
    const environment = { CORECODER_MAX_ROUNDS: "6" };
    expect(load(environment).settings.maxRounds).toBe(6);
    expect(load(environment, "--max-rounds", "7").settings.maxRounds).toBe(7);
    expect(load(environment, "--max-rounds", "7").origins.get("maxRounds")).toEqual({
      layer: "option",
      name: "--max-rounds",
    });
  });

  it("joins lists instead", () => {
    write(userFile, { disallowedTools: ["user"] });
    write(projectFile, { disallowedTools: "project one" });
    write(localFile, { disallowedTools: ["local"] });
    expect(load({}, "--disallowed-tools", "option").settings.disallowedTools).toEqual([
      "option",
      "local",
      "project",
      "one",
      "user",
    ]);
  });

  it("tries the variables of a setting in their order and takes an empty one for unset", () => {
    expect(load({ CORECODER_BASE_URL: "http://a", OPENAI_BASE_URL: "http://b" }).settings.baseUrl).toBe("http://a");
    expect(load({ CORECODER_BASE_URL: "", OPENAI_BASE_URL: "http://b" }).settings.baseUrl).toBe("http://b");
    const { settings, origins } = load({ DEEPSEEK_API_KEY: "d", OPENAI_API_KEY: "o" });
    expect([settings.apiKey, origins.get("apiKey")?.name]).toEqual(["o", "OPENAI_API_KEY"]);
  });

  it("uses the variables it is told for the key", () => {
    const environment = { OPENAI_API_KEY: "o", GEMINI_API_KEY: "g" };
    const { settings } = loadSettings({
      cwd,
      environment,
      options: new Map(),
      keyVariables: ["CORECODER_API_KEY", "GEMINI_API_KEY"],
    });
    expect(settings.apiKey).toBe("g");
  });

  it("reads the user's file where CORECODER_HOME points", () => {
    const environment = { CORECODER_HOME: join(home, "elsewhere") };
    write(userFile, { model: "not this" });
    write("elsewhere/settings.json", { model: "this" });
    expect(load(environment).settings.model).toBe("this");
    expect(load(environment).stateFolder).toBe(join(home, "elsewhere"));
  });
});

describe("where a key is sent", () => {
  const key = { OPENAI_API_KEY: "sk-of-the-person" };

  it.each([
    ["a .env", envFile, "CORECODER_BASE_URL=http://evil.example\n", "baseUrl"],
    ["a .env with the other variable", envFile, "OPENAI_BASE_URL=http://evil.example\n", "baseUrl"],
    ["a .env naming a provider", envFile, "CORECODER_PROVIDER=groq\n", "provider"],
    ["project settings", projectFile, { baseUrl: "http://evil.example" }, "baseUrl"],
    ["local project settings", localFile, { provider: "groq" }, "provider"],
  ] as const)(
    "is not decided by %s: ignored with one line that names file and key",
    (_name, path, content, setting) => {
      const file = write(path, content);
      const { settings, warnings } = load(key);
      expect(settings[setting]).toBeUndefined();
      expect(warnings).toEqual([expect.stringContaining(`Ignored ${setting} from ${file}`)]);
      expect(warnings[0]).not.toContain("\n");
    },
  );

  it("is decided by the file the key comes from", () => {
    write(envFile, "OPENAI_API_KEY=theirs\nCORECODER_BASE_URL=http://their.example\nCORECODER_PROVIDER=groq\n");
    const { settings, warnings } = load();
    expect(settings).toMatchObject({ apiKey: "theirs", baseUrl: "http://their.example", provider: "groq" });
    expect(warnings).toEqual([]);
  });

  it("is not decided by the .env whose key an existing variable replaces", () => {
    write(envFile, "OPENAI_API_KEY=bait\nCORECODER_BASE_URL=http://evil.example\n");
    const { settings, warnings } = load(key);
    expect([settings.apiKey, settings.baseUrl, warnings.length]).toEqual(["sk-of-the-person", undefined, 1]);
  });

  it("is decided by every file of a folder that the person trusts, and by those below it", () => {
    write(userFile, { trustedFolders: [join(home, "work")] });
    write(projectFile, { baseUrl: "http://their.example", permissionMode: "auto", allowedTools: ["bash(ls)"] });
    const { settings, warnings } = load(key);
    expect(settings).toMatchObject({
      baseUrl: "http://their.example",
      permissionMode: "auto",
      allowedTools: ["bash(ls)"],
    });
    expect(warnings).toEqual([]);
  });

  it("takes ~ in trustedFolders for the home folder", () => {
    write(userFile, { trustedFolders: ["~/work"] });
    write(envFile, "CORECODER_BASE_URL=http://their.example\n");
    expect(load(key).settings.baseUrl).toBe("http://their.example");
  });

  it("compares trusted folders by real path and whole names", () => {
    symlinkSync(join(home, "work"), join(home, "link"));
    write(envFile, "CORECODER_BASE_URL=http://their.example\n");
    write(userFile, { trustedFolders: [join(home, "link/project")] });
    expect(load(key).settings.baseUrl).toBe("http://their.example");
    write(userFile, { trustedFolders: [join(home, "work/proj")] });
    expect(load(key).settings.baseUrl).toBeUndefined();
  });

  it("cannot be bought by a project that trusts itself", () => {
    write(projectFile, { trustedFolders: ["/"], baseUrl: "http://evil.example" });
    const { settings, warnings } = load(key);
    expect([settings.baseUrl, settings.trustedFolders]).toEqual([undefined, undefined]);
    expect(warnings).toHaveLength(2);
  });

  it("is decided by the .env of the home folder, which is the person's own", () => {
    write(".env", "CORECODER_BASE_URL=http://mine.example\nCORECODER_PERMISSION_MODE=auto\n");
    expect(load(key).settings).toMatchObject({ baseUrl: "http://mine.example", permissionMode: "auto" });
    expect(load(key).warnings).toEqual([]);
  });

  it("is decided by the .env of a home folder whose name is a link", () => {
    symlinkSync(home, join(folder, "link"));
    process.env.HOME = join(folder, "link");
    write(".env", "CORECODER_BASE_URL=http://mine.example\n");
    expect(load(key).settings.baseUrl).toBe("http://mine.example");
  });

  it("is decided by the person's own settings, also from inside the home folder, where they look like a project's", () => {
    write(userFile, { baseUrl: "http://mine.example", permissionMode: "plan", disallowedTools: ["bash"] });
    cwd = home;
    const { settings, warnings } = load(key);
    expect(settings).toMatchObject({
      baseUrl: "http://mine.example",
      permissionMode: "plan",
      disallowedTools: ["bash"],
    });
    expect(warnings).toEqual([]);
  });

  it("has nothing to do with HOME of the project: CORECODER_HOME in a .env moves nothing", () => {
    write("evil/settings.json", { trustedFolders: ["/"], model: "evil" });
    write(envFile, `CORECODER_HOME=${join(home, "evil")}\n`);
    const { settings, stateFolder } = load(key);
    expect([settings.model, stateFolder]).toEqual([undefined, join(home, ".corecoder")]);
  });
});

describe("permissions", () => {
  it.each([
    ["permissionMode", envFile, "CORECODER_PERMISSION_MODE=bypassPermissions\n"],
    ["permissionMode", projectFile, { permissionMode: "bypassPermissions" }],
    ["allowedTools", localFile, { allowedTools: ["bash"] }],
    ["addDirs", projectFile, { addDirs: ["/"] }],
  ] as const)("are not loosened by %s in %s of a project", (setting, path, content) => {
    const file = write(path, content);
    const { settings, warnings } = load();
    expect(settings[setting]).toBeUndefined();
    expect(warnings).toEqual([expect.stringContaining(`Ignored ${setting} from ${file}`)]);
  });

  it("are tightened by disallowedTools of a project without a word", () => {
    write(projectFile, { disallowedTools: ["bash(git push *)"] });
    expect([load().settings.disallowedTools, load().warnings]).toEqual([["bash(git push *)"], []]);
  });
});

describe("a mistake in settings ends with exit 52 and names", () => {
  it.each([
    ["a word for a number", "maxTokens", "many"],
    ["a number out of range", "temperature", 7],
    ["a wrong choice", "permissionMode", "yolo"],
    ["a number for a text", "model", 5],
  ])("file and key: %s", (_name, key, value) => {
    const file = write(userFile, { [key]: value });
    const { exit, message } = failure();
    expect(exit).toBe(52);
    expect(message).toContain(file);
    expect(message).toContain(`"${key}"`);
    expect(message).toContain(JSON.stringify(value));
    expect(message).not.toContain("\n");
  });

  it("also when the file is a project's and would be ignored", () => {
    const file = write(projectFile, { maxRounds: 0 });
    expect(failure().message).toContain(file);
  });

  it("the variable of the environment", () => {
    const { exit, message } = failure({ CORECODER_MAX_TOKENS: "lots" });
    expect([exit, message]).toEqual([52, 'CORECODER_MAX_TOKENS must be a whole number of at least 1, got "lots".']);
  });

  it("the variable and the .env it stands in", () => {
    const file = write(envFile, "CORECODER_TEMPERATURE=hot\n");
    const { exit, message } = failure();
    expect(exit).toBe(52);
    expect(message).toContain(`CORECODER_TEMPERATURE in ${file}`);
  });

  it("an unknown key, and the keys there are", () => {
    const file = write(userFile, { modell: "x" });
    const { exit, message } = failure();
    expect(exit).toBe(52);
    expect(message).toContain(`${file}: unknown key "modell"`);
    expect(message).toContain("maxRounds");
  });

  it("an unknown key that every object has", () => {
    write(userFile, '{"__proto__": {"model": "x"}, "constructor": 1}');
    expect(failure().message).toContain('unknown key "__proto__"');
  });

  it.each(["{", '{"model": }', "not json", '{"model": "x",}'])("a file that is not JSON: %j", (text) => {
    const file = write(projectFile, text);
    const { exit, message } = failure();
    expect(exit).toBe(52);
    expect(message).toContain(`${file} is not valid JSON`);
  });

  it.each(["[]", "null", "5", '"text"'])("a file that holds no object: %s", (text) => {
    const file = write(userFile, text);
    expect(failure()).toMatchObject({ exit: 52, message: expect.stringContaining(`${file} must hold a JSON object`) });
  });

  it.each([
    ["a key that is no text", '{"apiKey": 1234567890123}'],
    ["a key without quotes", '{"apiKey": sk-1234567890123}'],
    ["a key with half its quotes", '{"apiKey": "sk-1234567890123}'],
    ["a bare key", "sk-1234567890123"],
    ["a key with a wrong word behind it", '{"apiKey": "sk-1234567890123" x}'],
    ["a key after a wrong word", '{"model": x, "apiKey": "sk-1234567890123"}'],
    ["a list of keys", '{"apiKey": ["sk-1234567890123"]}'],
  ])("but never the secret: %s", (_name, text) => {
    write(userFile, text);
    const { exit, message } = failure();
    expect(exit).toBe(52);
    expect(message).not.toMatch(/sk-1|123456/);
  });

  it.each(["", "  \n", "{}", '{"$schema": "https://example.com/schema.json"}'])(
    "nothing when there is nothing wrong: %j",
    (text) => {
      write(userFile, text);
      expect(load().warnings).toEqual([]);
    },
  );
});

describe("the state folder", () => {
  it("is .corecoder in the home folder unless CORECODER_HOME says otherwise", () => {
    expect(stateFolderOf({})).toBe(join(home, ".corecoder"));
    expect(stateFolderOf({ CORECODER_HOME: "" })).toBe(join(home, ".corecoder"));
    expect(stateFolderOf({ CORECODER_HOME: "/x" })).toBe("/x");
  });
});

import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { exitCode, messageOf, UserError } from "../contracts/errors.ts";
import { realOrSame } from "../platform/paths.ts";
import { readUnlessMissing } from "../platform/private-files.ts";
import { findEnvFile } from "./env-file.ts";
import { asTrusted, type Found, type Layer, mergeLayers, type Origin } from "./layers.ts";
import { judgeTrust, type ProjectTrust } from "./project-trust.ts";
import { type RememberedSettings, sessionLayer } from "./session-layer.ts";
import { readValue } from "./setting-values.ts";
import { type Setting, type SettingKey, type Settings, settingFor, settingsTable } from "./settings-table.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export type LoadOptions = {
  readonly cwd: string;
  readonly environment: Environment;
  /** Values given on the command line, already checked. */
  readonly options: Layer;
  /** Variables that may hold the key, best first; default: the ones of the table. */
  readonly keyVariables?: readonly string[];
  /** Variables that may hold the address, best first; default: the ones of the table. */
  readonly addressVariables?: readonly string[];
  /** What the session that is taken up again was started with. */
  readonly session?: RememberedSettings;
};

export type LoadedSettings = {
  readonly settings: Settings;
  readonly origins: ReadonlyMap<SettingKey, Origin>;
  readonly warnings: readonly string[];
  /** `~/.corecoder`, or where CORECODER_HOME points. */
  readonly stateFolder: string;
  readonly trust: ProjectTrust;
};

export function stateFolderOf(environment: Environment): string {
  return environment.CORECODER_HOME || join(homedir(), ".corecoder");
}

/** All layers, best first, merged. Throws UserError 52 that names file and key. */
export function loadSettings(given: LoadOptions): LoadedSettings {
  const { cwd, environment, options, session } = given;
  const variables = { apiKey: given.keyVariables, baseUrl: given.addressVariables };
  const stateFolder = stateFolderOf(environment);
  const userFile = join(stateFolder, "settings.json");
  const projectFile = join(cwd, ".corecoder", "settings.json");
  const user = fileLayer(userFile, "user");
  const envFile = findEnvFile(cwd, homedir());
  const isOwn = envFile !== undefined && realOrSame(dirname(envFile.path)) === realOrSame(homedir());
  const envFileOrigin = { layer: ".env", file: envFile?.path ?? "", untrusted: !isOwn } as const;
  const above = [
    options,
    sessionLayer(session?.given ?? {}),
    variableLayer(
      (name) => environment[name],
      variables,
      (name) => ({ layer: "environment", name }),
    ),
  ];
  const serverFile = serverFileLayer(join(cwd, ".mcp.json"));
  const projects = [
    variableLayer(
      (name) => envFile?.values.get(name),
      variables,
      (name) => ({ ...envFileOrigin, name }),
    ),
    fileLayer(join(cwd, ".corecoder", "settings.local.json"), "local"),
    // in the home folder the project's file is the person's own
    realOrSame(projectFile) === realOrSame(userFile) ? new Map() : fileLayer(projectFile, "project"),
    serverFile.layer,
  ];
  const below = [user, sessionLayer(session?.ambient ?? {})];
  const untrusted = mergeLayers([...above, ...projects, ...below]);
  const trust = judgeTrust({
    folder: realOrSame(cwd),
    stateFolder,
    listed: (user.get("trustedFolders")?.value ?? []) as readonly string[],
    layers: projects,
    ignored: untrusted.ignored,
  });
  const merged = trust.state === "trusted" ? mergeLayers([...above, ...projects.map(asTrusted), ...below]) : untrusted;
  const changed =
    trust.state === "changed"
      ? [`You trusted ${trust.folder} before, but since then changed: ${trust.changed.join(", ")}.`]
      : [];
  return {
    settings: Object.fromEntries([...merged.values].map(([key, found]) => [key, found.value])) as Settings,
    origins: new Map([...merged.values].map(([key, found]) => [key, found.origin])),
    warnings: [...changed, ...serverFile.warnings, ...merged.warnings],
    stateFolder,
    trust,
  };
}

function variableLayer(
  read: (name: string) => string | undefined,
  variables: Readonly<Record<string, readonly string[] | undefined>>,
  origin: (name: string) => Origin,
): Layer {
  const layer = new Map<string, Found>();
  for (const setting of settingsTable as readonly Setting[]) {
    const names = variables[setting.key] ?? setting.variables ?? [];
    const name = names.find((candidate) => read(candidate));
    if (name === undefined) continue;
    const from = origin(name);
    layer.set(setting.key, {
      value: checked(setting, read(name), `${name}${from.file ? ` in ${from.file}` : ""}`),
      origin: from,
    });
  }
  return layer;
}

function fileLayer(path: string, layer: "user" | "project" | "local"): Layer {
  const text = readSettingsFile(path);
  if (text === undefined || text.trim() === "") return new Map();
  const values = parseObject(path, text);
  const origin = { layer, name: path, file: path, untrusted: layer !== "user" };
  return new Map(
    Object.entries(values)
      .filter(([key]) => key !== "$schema")
      .map(([key, value]) => {
        const setting = settingFor(key);
        if (!setting)
          throw new UserError(
            exitCode.config,
            `${path}: unknown key "${key}". Known keys: ${settingsTable.map((s) => s.key).join(", ")}.`,
          );
        return [key, { value: checked(setting, value, `${path}: "${key}"`, path), origin }];
      }),
  );
}

/** A file that other programs write too: what is wrong with it is said, and stops nobody. */
function serverFileLayer(path: string): { readonly layer: Layer; readonly warnings: readonly string[] } {
  const setting = settingFor("mcpServers");
  try {
    const text = readSettingsFile(path);
    if (text === undefined || text.trim() === "" || setting === undefined) return { layer: new Map(), warnings: [] };
    const value = checked(setting, parseObject(path, text).mcpServers ?? {}, `${path}: "mcpServers"`, path);
    const origin = { layer: "project", name: path, file: path, untrusted: true } as const;
    const isEmpty = (value as readonly unknown[]).length === 0;
    return { layer: isEmpty ? new Map() : new Map([["mcpServers", { value, origin }]]), warnings: [] };
  } catch (error) {
    return { layer: new Map(), warnings: [`No servers from .mcp.json: ${messageOf(error)}`] };
  }
}

/** A file that is there but cannot be read is not the same as none: its settings would be missed in silence. */
function readSettingsFile(path: string): string | undefined {
  try {
    return readUnlessMissing(path)?.replace(/^\uFEFF/, "");
  } catch (error) {
    throw new UserError(
      exitCode.config,
      `${path} cannot be read: ${messageOf(error)}. Mend its permissions or move it away.`,
    );
  }
}

function parseObject(path: string, text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    // the parser quotes the text around the mistake, which may be a key
    const problem = (cause as Error).message.replace(/, (\.\.\.)?".*/s, "");
    throw new UserError(exitCode.config, `${path} is not valid JSON: ${problem}. Mend it or move it away.`);
  }
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    throw new UserError(exitCode.config, `${path} must hold a JSON object of settings, such as {"model": "gpt-5.5"}.`);
  }
  return value as Record<string, unknown>;
}

function checked(setting: Setting, given: unknown, where: string, file?: string): unknown {
  const read = readValue(setting, given, file);
  if ("value" in read) return read.value;
  if (
    setting.kind === "rules" ||
    setting.kind === "hooks" ||
    setting.kind === "servers" ||
    setting.kind === "models" ||
    setting.kind === "providers"
  )
    throw new UserError(exitCode.config, `${where} ${read.problem}.`);
  const shown = setting.secret ? "its value" : JSON.stringify(given);
  throw new UserError(exitCode.config, `${where} ${read.problem}, got ${shown}.`);
}

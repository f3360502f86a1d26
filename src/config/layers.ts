import type { HookDefinition } from "../contracts/hook.ts";
import type { McpServer } from "../contracts/mcp-server.ts";
import type { ModelSettings, ModelSettingsTable } from "../contracts/model-settings.ts";
import { type RuleLists, ruleLists } from "../contracts/permission.ts";
import { type Setting, type SettingKey, settingsTable } from "./settings-table.ts";

/** Where a value came from, as a person would say it. */
export type Origin = {
  readonly layer: "option" | "session" | "environment" | ".env" | "local" | "project" | "user" | "default";
  /** `--model`, `CORECODER_MODEL`, a file's path. */
  readonly name: string;
  /** The file, for layers that are files. */
  readonly file?: string;
  /** Written by the project rather than by the person. */
  readonly untrusted?: boolean;
};

export type Found = { readonly value: unknown; readonly origin: Origin };

/** One layer: the values it holds by setting. */
export type Layer = ReadonlyMap<string, Found>;

/** What a project's files wanted and did not get. */
export type Ignored = Found & { readonly key: SettingKey };

export type Merged = {
  readonly values: ReadonlyMap<SettingKey, Found>;
  readonly warnings: readonly string[];
  readonly ignored: readonly Ignored[];
};

/**
 * The first layer that holds a setting wins; lists are joined over all layers. A project's files never decide where a key is sent and never
 * loosen permissions: such values are passed over, with a warning.
 */
export function mergeLayers(layers: readonly Layer[]): Merged {
  const values = new Map<SettingKey, Found>();
  const warnings: string[] = [];
  const ignored: Ignored[] = [];
  const key = firstOf(layers, "apiKey", () => true);
  for (const setting of settingsTable as readonly (Setting & { key: SettingKey })[]) {
    const counts = (found: Found): boolean => {
      const problem = objection(setting, found, key);
      if (problem) {
        warnings.push(problem);
        ignored.push({ ...found, key: setting.key });
      }
      return problem === undefined || setting.fromProject === "tightening" || setting.fromProject === "unpriced";
    };
    const join = joins[setting.kind as string];
    const found = join
      ? joined(layers.flatMap((layer) => layer.get(setting.key) ?? []).filter(counts), join)
      : firstOf(layers, setting.key, counts);
    if (found) values.set(setting.key, found);
    else if (setting.fallback !== undefined)
      values.set(setting.key, { value: setting.fallback, origin: { layer: "default", name: "default" } });
  }
  return { values, warnings, ignored };
}

function firstOf(layers: readonly Layer[], key: string, counts: (found: Found) => boolean): Found | undefined {
  for (const layer of layers) {
    const found = layer.get(key);
    if (found && counts(found)) return found;
  }
  return undefined;
}

type Join = (all: readonly Found[]) => unknown;

/** Kinds whose values are joined over all layers, best first. */
const joins: Readonly<Record<string, Join>> = {
  list: (all) => [...new Set(all.flatMap(({ value }) => value as readonly string[]))],
  rules: (all) =>
    Object.fromEntries(
      ruleLists.map((list) => [
        list,
        all
          .filter(({ origin }) => list !== "allow" || !origin.untrusted)
          .flatMap(({ value }) => (value as RuleLists)[list]),
      ]),
    ),
  // the person's own first
  hooks: (all) => all.toReversed().flatMap(({ value }) => value as readonly HookDefinition[]),
  servers: (all) => {
    const named = new Map<string, McpServer>();
    for (const { value, origin } of all) {
      const owner = origin.layer === "project" || origin.layer === "local" ? "project" : "person";
      for (const server of value as readonly McpServer[])
        if (!named.has(server.name)) named.set(server.name, { ...server, owner });
    }
    return [...named.values()];
  },
  models: joinModels,
  providers: (all) => Object.fromEntries(all.toReversed().flatMap(({ value }) => Object.entries(value as object))),
};

/** Field by field: a project that names a window does not take away the price that the person has set. */
function joinModels(all: readonly Found[]): ModelSettingsTable {
  const rows = new Map<string, ModelSettings>();
  for (const { value, origin } of all.toReversed())
    for (const [name, { price, ...rest }] of Object.entries(value as ModelSettingsTable))
      rows.set(name, { ...rows.get(name), ...rest, ...(price === undefined || origin.untrusted ? {} : { price }) });
  return Object.fromEntries(rows);
}

function joined(all: readonly Found[], join: Join): Found | undefined {
  const [first] = all;
  return first && { value: join(all), origin: first.origin };
}

function objection(setting: Setting, { value, origin }: Found, key: Found | undefined): string | undefined {
  const { fromProject } = setting;
  if (!origin.untrusted || fromProject === undefined) return undefined;
  if (fromProject === "with-key" && key?.origin.file === origin.file) return undefined;
  if (fromProject === "tightening" && (value as RuleLists).allow.length === 0) return undefined;
  if (fromProject === "unpriced" && !Object.values(value as ModelSettingsTable).some(({ price }) => price))
    return undefined;
  // plan is the tightest mode
  if (setting.key === "permissionMode" && value === "plan") return undefined;
  const file = origin.file ?? origin.name;
  if (setting.kind === "hooks" || setting.kind === "rules" || setting.kind === "servers") {
    const what = setting.kind === "rules" ? `${setting.key}.allow` : setting.key;
    return `Ignored ${what} from ${file}: you have not trusted it as it is now. \`corecoder trust\` shows what it wants and trusts it.`;
  }
  if (setting.kind === "models")
    return `Ignored the prices in ${setting.key} from ${file}: a project's files do not say what your calls cost. Set them in ~/.corecoder/settings.json, or trust this folder with \`corecoder trust\`.`;
  const why =
    fromProject === "with-key" || setting.kind === "providers"
      ? "a project's files do not decide where your key is sent"
      : "a project's files cannot loosen permissions";
  return `Ignored ${setting.key} from ${file}: ${why}. Set it as an option, in the environment or in ~/.corecoder/settings.json, or trust this folder with \`corecoder trust\`.`;
}

/** The same values, with the word of the person for those who wrote them. */
export function asTrusted(layer: Layer): Layer {
  return new Map(
    [...layer].map(([key, { value, origin }]) => [key, { value, origin: { ...origin, untrusted: false } }]),
  );
}

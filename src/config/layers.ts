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

export type Merged = {
  readonly values: ReadonlyMap<SettingKey, Found>;
  readonly warnings: readonly string[];
};

/**
 * The first layer that holds a setting wins; lists are joined over all layers. A project's files never decide where a key is sent and never
 * loosen permissions: such values are passed over, with a warning.
 */
export function mergeLayers(layers: readonly Layer[]): Merged {
  const values = new Map<SettingKey, Found>();
  const warnings: string[] = [];
  const key = firstOf(layers, "apiKey", () => true);
  for (const setting of settingsTable as readonly (Setting & { key: SettingKey })[]) {
    const counts = (found: Found): boolean => {
      const problem = objection(setting, found, key);
      if (problem) warnings.push(problem);
      return problem === undefined;
    };
    const found = setting.kind === "list" ? joined(layers, setting.key, counts) : firstOf(layers, setting.key, counts);
    if (found) values.set(setting.key, found);
    else if (setting.fallback !== undefined)
      values.set(setting.key, { value: setting.fallback, origin: { layer: "default", name: "default" } });
  }
  return { values, warnings };
}

function firstOf(layers: readonly Layer[], key: string, counts: (found: Found) => boolean): Found | undefined {
  for (const layer of layers) {
    const found = layer.get(key);
    if (found && counts(found)) return found;
  }
  return undefined;
}

function joined(layers: readonly Layer[], key: string, counts: (found: Found) => boolean): Found | undefined {
  const all = layers.flatMap((layer) => layer.get(key) ?? []).filter(counts);
  const [first] = all;
  return (
    first && { value: [...new Set(all.flatMap((found) => found.value as readonly string[]))], origin: first.origin }
  );
}

function objection(setting: Setting, found: Found, key: Found | undefined): string | undefined {
  const { origin } = found;
  if (!origin.untrusted || setting.fromProject === undefined) return undefined;
  if (setting.fromProject === "with-key" && key?.origin.file === origin.file) return undefined;
  const why =
    setting.fromProject === "with-key"
      ? "a project's files do not decide where your key is sent"
      : "a project's files cannot loosen permissions";
  return `Ignored ${setting.key} from ${origin.file ?? origin.name}: ${why}. Set it as an option, in the environment or in ~/.corecoder/settings.json.`;
}

import { type LoadedSettings, type LoadOptions, loadSettings } from "../config/load.ts";
import type { SettingKey } from "../config/settings-table.ts";
import { exitCode, UserError } from "../contracts/errors.ts";
import {
  chooseVendor,
  type ModelChoice,
  mayReceive,
  problemWithBaseUrl,
  problemWithProvider,
} from "../providers/choose-vendor.ts";

export type ResolvedModel = { readonly loaded: LoadedSettings; readonly choice: ModelChoice; readonly apiKey: string };

/** Vendor, model, address and key, which depend on each other. Undefined when a key is needed and there is none. */
export function resolveModel(loaded: LoadedSettings, options: LoadOptions): ResolvedModel | undefined {
  const first = choose(loaded);
  if (first.apiKey !== undefined) return { ...first, apiKey: first.apiKey };
  // The usual variables held no key for this vendor: its own may.
  const own = ["CORECODER_API_KEY", ...first.choice.vendor.keyVariables];
  const second = choose(loadSettings({ ...options, keyVariables: own }));
  if (second.apiKey !== undefined) return { ...second, apiKey: second.apiKey };
  return first.choice.vendor.needsKey ? undefined : { ...first, apiKey: "" };
}

type Chosen = { readonly loaded: LoadedSettings; readonly choice: ModelChoice; readonly apiKey: string | undefined };

/** The key is left out when it is another vendor's. */
function choose(given: LoadedSettings): Chosen {
  const loaded = withoutForeignModel(given);
  const { provider, model, baseUrl, apiKey } = loaded.settings;
  refuse(loaded, "provider", provider && problemWithProvider(provider));
  refuse(loaded, "baseUrl", baseUrl && problemWithBaseUrl(baseUrl));
  const keyVariable = keyVariableOf(loaded);
  const choice = chooseVendor({ provider, model, baseUrl, keyVariable });
  const fits = keyVariable === undefined || mayReceive(choice, keyVariable);
  return { loaded, choice, apiKey: fits ? apiKey : undefined };
}

function keyVariableOf({ origins }: LoadedSettings): string | undefined {
  const origin = origins.get("apiKey");
  return origin?.layer === "environment" || origin?.layer === ".env" ? origin.name : undefined;
}

/** A key of a vendor's own goes nowhere else; one that fits every vendor must not follow a project's choice of model. */
function withoutForeignModel(loaded: LoadedSettings): LoadedSettings {
  const { model, provider, baseUrl, apiKey } = loaded.settings;
  const origin = loaded.origins.get("model");
  const keyVariable = keyVariableOf(loaded);
  const fitsEveryVendor = apiKey !== undefined && (keyVariable === undefined || keyVariable === "CORECODER_API_KEY");
  const isProjects = origin?.untrusted === true && origin.file !== loaded.origins.get("apiKey")?.file;
  if (!fitsEveryVendor || !isProjects || provider !== undefined || baseUrl !== undefined) return loaded;
  const { vendor } = chooseVendor({ provider, model, baseUrl, keyVariable });
  if (vendor.name === chooseVendor({ provider, model: undefined, baseUrl, keyVariable }).vendor.name) return loaded;
  const warning = `Ignored model ${model} from ${origin.file}: it belongs to ${vendor.name}, and a project's files do not decide where your key is sent. Use -m ${model} if you want it.`;
  return {
    ...loaded,
    settings: { ...loaded.settings, model: undefined },
    warnings: [...loaded.warnings, warning],
  };
}

/** A bad option is a usage error, a bad variable or file a configuration error; both name where the value stands. */
export function refuse({ origins }: LoadedSettings, key: SettingKey, problem: string | undefined): void {
  if (!problem) return;
  const origin = origins.get(key);
  const where =
    origin?.file && origin.file !== origin.name ? `${origin.name} in ${origin.file}` : (origin?.name ?? key);
  throw new UserError(origin?.layer === "option" ? exitCode.usage : exitCode.config, `${where} ${problem}`);
}

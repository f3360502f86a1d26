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
  const origin = loaded.origins.get("apiKey");
  const keyVariable = origin?.layer === "environment" || origin?.layer === ".env" ? origin.name : undefined;
  const { provider, model, baseUrl, apiKey } = loaded.settings;
  refuse(loaded, "provider", provider && problemWithProvider(provider));
  refuse(loaded, "baseUrl", baseUrl && problemWithBaseUrl(baseUrl));
  const choice = chooseVendor({ provider, model, baseUrl, keyVariable });
  if (apiKey !== undefined && (keyVariable === undefined || mayReceive(choice, keyVariable)))
    return { loaded, choice, apiKey };
  const own = options.keyVariables === undefined ? choice.vendor.keyVariables : [];
  if (own.length > 0 || apiKey !== undefined) {
    const again = { ...options, keyVariables: ["CORECODER_API_KEY", ...choice.vendor.keyVariables] };
    const reloaded = loadSettings(again);
    if (reloaded.settings.apiKey !== undefined) return resolveModel(reloaded, again);
  }
  return choice.vendor.needsKey ? undefined : { loaded, choice, apiKey: "" };
}

/** A bad option is a usage error, a bad variable or file a configuration error; both name where the value stands. */
export function refuse({ origins }: LoadedSettings, key: SettingKey, problem: string | undefined): void {
  if (!problem) return;
  const origin = origins.get(key);
  const where =
    origin?.file && origin.file !== origin.name ? `${origin.name} in ${origin.file}` : (origin?.name ?? key);
  throw new UserError(origin?.layer === "option" ? exitCode.usage : exitCode.config, `${where} ${problem}`);
}

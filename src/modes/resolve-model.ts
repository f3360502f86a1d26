import { type LoadedSettings, type LoadOptions, loadSettings } from "../config/load.ts";
import type { SettingKey } from "../config/settings-table.ts";
import { exitCode, UserError } from "../contracts/errors.ts";
import {
  type ChoiceInput,
  chooseVendor,
  type ModelChoice,
  mayReceive,
  problemWithBaseUrl,
  problemWithProvider,
} from "../providers/choose-vendor.ts";
import { ownVendors, problemWithOwnVendors } from "../providers/own-vendors.ts";
import { vendorNamed, vendorOfModel } from "../providers/vendors.ts";

export type ResolvedModel = { readonly loaded: LoadedSettings; readonly choice: ModelChoice; readonly apiKey: string };

/** Vendor, model, address and key, which depend on each other. Undefined when a key is needed and there is none. */
export function resolveModel(given: LoadedSettings, options: LoadOptions): ResolvedModel | undefined {
  const { loaded, sources } = withVendorsAddress(given, options);
  const first = choose(loaded, sources);
  // Where every address is the person's own, a key of another vendor would fit: the vendor's own is still the better one.
  const isTheirs = first.choice.vendor.needsAddress === true && keyVariableOf(first.loaded) !== undefined;
  if (first.apiKey !== undefined && !isTheirs) return { ...first, apiKey: first.apiKey };
  // The usual variables held no key for this vendor: its own may.
  const own = ["CORECODER_API_KEY", ...first.choice.vendor.keyVariables];
  const second = choose(loadSettings({ ...sources, keyVariables: own }), sources);
  if (second.apiKey !== undefined) return { ...second, apiKey: second.apiKey };
  if (first.apiKey !== undefined) return { ...first, apiKey: first.apiKey };
  return first.choice.vendor.needsKey ? undefined : { ...first, apiKey: "" };
}

/** Where nothing is sent, no key is needed. */
export function resolveModelOf(
  { replay }: { readonly replay?: string },
  loaded: LoadedSettings,
  options: LoadOptions,
): ResolvedModel | undefined {
  const resolved = resolveModel(loaded, options);
  return resolved === undefined && replay !== undefined
    ? { loaded, choice: resolveChoice(loaded, options), apiKey: "" }
    : resolved;
}

/** Vendor, model and address alone, for those who send nothing. */
export function resolveChoice(given: LoadedSettings, options: LoadOptions): ModelChoice {
  const { loaded, sources } = withVendorsAddress(given, options);
  return choose(loaded, sources).choice;
}

/** A vendor whose address is everybody's own has a variable for it, which means nothing to others. */
function withVendorsAddress(loaded: LoadedSettings, options: LoadOptions) {
  const { provider, model, providers } = loaded.settings;
  const own = ownVendors(providers);
  const vendor = provider ? vendorNamed(provider, own) : model ? vendorOfModel(model, own)?.vendor : undefined;
  if (vendor?.addressVariable === undefined) return { loaded, sources: options };
  const addressVariables = ["CORECODER_BASE_URL", vendor.addressVariable, "OPENAI_BASE_URL"];
  const sources = { ...options, addressVariables };
  return { loaded: loadSettings(sources), sources };
}

type Chosen = { readonly loaded: LoadedSettings; readonly choice: ModelChoice; readonly apiKey: string | undefined };

/** The key is left out when it is another vendor's. */
function choose(given: LoadedSettings, { environment }: LoadOptions): Chosen {
  refuse(given, "providers", problemWithOwnVendors(given.settings.providers));
  const loaded = withoutForeignModel(given);
  const { provider, baseUrl, apiKey } = loaded.settings;
  refuse(loaded, "provider", provider && problemWithProvider(provider, ownVendors(loaded.settings.providers)));
  refuse(loaded, "baseUrl", baseUrl && problemWithBaseUrl(baseUrl));
  const keyVariable = keyVariableOf(loaded);
  const choice = withVersion(chooseVendor(choiceInput(loaded, keyVariable)), environment);
  const fits = keyVariable === undefined || mayReceive(choice, keyVariable);
  return { loaded, choice, apiKey: fits ? apiKey : undefined };
}

/** What settings say about the choice. */
export function choiceInput(
  { settings }: Pick<LoadedSettings, "settings">,
  keyVariable: string | undefined,
): ChoiceInput {
  const { provider, model, baseUrl, models, providers } = settings;
  return { provider, model, baseUrl, keyVariable, models, own: ownVendors(providers) };
}

/** The version of the API from the vendor's own variable; one in the address itself comes first. */
function withVersion(choice: ModelChoice, environment: LoadOptions["environment"]): ModelChoice {
  const { pathPattern, versionVariable } = choice.vendor;
  const version = versionVariable === undefined ? undefined : environment[versionVariable];
  if (!version || pathPattern === undefined) return choice;
  const dated = pathPattern.replace(/(?<=api-version=)[^&]+/, encodeURIComponent(version));
  return { ...choice, vendor: { ...choice.vendor, pathPattern: dated } };
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
  const input = choiceInput(loaded, keyVariable);
  const { vendor } = chooseVendor(input);
  if (vendor.name === chooseVendor({ ...input, model: undefined }).vendor.name) return loaded;
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

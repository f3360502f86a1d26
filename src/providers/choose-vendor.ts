import { exitCode, UserError } from "../contracts/errors.ts";
import type { ModelSettings, ModelSettingsTable } from "../contracts/model-settings.ts";
import type { Vendor } from "./vendor.ts";
import { vendorNamed, vendorOfModel, vendors } from "./vendors.ts";

export type ModelChoice = {
  readonly vendor: Vendor;
  readonly model: string;
  readonly baseUrl: string;
  /** What the person's settings say of this model. */
  readonly settings?: ModelSettings;
};

export type ChoiceInput = {
  readonly provider: string | undefined;
  readonly model: string | undefined;
  readonly baseUrl: string | undefined;
  /** The variable the key was found in: with nothing else said, a DeepSeek key means DeepSeek. */
  readonly keyVariable: string | undefined;
  /** Rows of the person's settings. */
  readonly own?: readonly Vendor[];
  readonly models?: ModelSettingsTable | undefined;
};

/** What is wrong with a vendor's name, if anything. */
export function problemWithProvider(name: string, own: readonly Vendor[] = []): string | undefined {
  return vendorNamed(name, own)
    ? undefined
    : `names the unknown provider "${name}". Known: ${[...vendors, ...own].map((vendor) => vendor.name).join(", ")}.`;
}

/** What is wrong with an address, if anything. */
export function problemWithBaseUrl(given: string): string | undefined {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const isHttp = url?.protocol === "http:" || url?.protocol === "https:";
  return isHttp ? undefined : `holds "${given}", which is no http(s) address. It looks like https://host/v1.`;
}

/** Which vendor, which model, which address, which wire; vendor and address are known to be good. */
export function chooseVendor(input: ChoiceInput): ModelChoice {
  const choice = choose(input);
  const { vendor, model } = choice;
  const table = input.models ?? {};
  const key = [`${vendor.name}/${model}`, model, input.model].find(
    (name) => name !== undefined && Object.hasOwn(table, name),
  );
  const settings = key === undefined ? undefined : table[key];
  return settings === undefined ? choice : { ...choice, settings };
}

function choose({ provider, model, baseUrl, keyVariable, own = [] }: ChoiceInput): ModelChoice {
  const named = provider === undefined ? undefined : vendorNamed(provider, own);
  if (named) return withDefaults(named, model, baseUrl);
  const family = model === undefined ? undefined : vendorOfModel(model, own);
  if (family?.vendor.needsAddress) return withDefaults(family.vendor, family.model, baseUrl);
  if (baseUrl !== undefined && !isOwnAddress(family?.vendor ?? fallback, baseUrl)) {
    // the name is the server's business: it goes there as it is, over the common wire
    const { protocol: _ownWire, ...vendor } = family?.vendor ?? fallback;
    return withDefaults({ ...vendor, protocol: "openai-chat" }, model, baseUrl);
  }
  if (family) return withDefaults(family.vendor, family.model, undefined);
  const vendorOfKey =
    model === undefined
      ? vendors.find(({ keyVariables }) => keyVariable !== undefined && keyVariables.includes(keyVariable))
      : undefined;
  return withDefaults(vendorOfKey ?? fallback, model, undefined);
}

const fallback = vendors[0] as Vendor;

function isOwnAddress(vendor: Vendor, baseUrl: string): boolean {
  return baseUrl.replace(/\/+$/, "") === vendor.baseUrl;
}

function withDefaults(vendor: Vendor, model: string | undefined, baseUrl: string | undefined): ModelChoice {
  const name = model ?? vendor.defaultModel;
  if (name === undefined)
    throw new UserError(exitCode.usage, `Which model of ${vendor.name}? Name it with --model or CORECODER_MODEL.`);
  if (vendor.needsAddress && baseUrl === undefined)
    throw new UserError(
      exitCode.usage,
      `Where is your ${vendor.name} endpoint? Give its address with --base-url or ${vendor.addressVariable ?? "CORECODER_BASE_URL"}; it looks like ${vendor.baseUrl}.`,
    );
  if (baseUrl === undefined || isOwnAddress(vendor, baseUrl)) return { vendor, model: name, baseUrl: vendor.baseUrl };
  const wire = vendor.protocolElsewhere === undefined ? {} : { protocol: vendor.protocolElsewhere };
  return { vendor: { ...vendor, ...wire }, model: name, baseUrl };
}

/** A vendor's key goes to that vendor, or to an address the person chose; never to another vendor. */
export function mayReceive(choice: ModelChoice, keyVariable: string): boolean {
  const owner = vendors.find(({ keyVariables }) => keyVariables.includes(keyVariable));
  return (
    owner === undefined || choice.vendor.keyVariables.includes(keyVariable) || choice.baseUrl !== choice.vendor.baseUrl
  );
}

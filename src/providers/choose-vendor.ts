import { exitCode, UserError } from "../contracts/errors.ts";
import { type Vendor, vendorNamed, vendorOfModel, vendors } from "./vendors.ts";

export type ModelChoice = { readonly vendor: Vendor; readonly model: string; readonly baseUrl: string };

export type ChoiceInput = {
  readonly provider: string | undefined;
  readonly model: string | undefined;
  readonly baseUrl: string | undefined;
  /** The variable the key was found in: with nothing else said, a DeepSeek key means DeepSeek. */
  readonly keyVariable: string | undefined;
};

/** Which vendor, which model, which address. Throws UserError for a vendor nobody knows or an address that is none. */
export function chooseVendor({ provider, model, baseUrl, keyVariable }: ChoiceInput): ModelChoice {
  checkUrl(baseUrl);
  if (provider !== undefined) {
    const vendor = vendorNamed(provider);
    if (!vendor) throw new UserError(exitCode.usage, `Unknown provider "${provider}". Known: ${vendors.map(({ name }) => name).join(", ")}.`);
    return withDefaults(vendor, model, baseUrl);
  }
  const family = model === undefined ? undefined : vendorOfModel(model);
  // At an address of the person's own the name is the server's business: it goes there as it is, over the common wire.
  if (baseUrl !== undefined) return withDefaults(family?.vendor ?? fallback, model, baseUrl);
  if (family) return withDefaults(family.vendor, family.model, undefined);
  const vendorOfKey = model === undefined ? vendors.find(({ keyVariables }) => keyVariable !== undefined && keyVariables.includes(keyVariable)) : undefined;
  return withDefaults(vendorOfKey ?? fallback, model, undefined);
}

const fallback = vendors[0] as Vendor;

function withDefaults(vendor: Vendor, model: string | undefined, baseUrl: string | undefined): ModelChoice {
  const name = model ?? vendor.defaultModel;
  if (name === undefined) throw new UserError(exitCode.usage, `Which model of ${vendor.name}? Name it with --model or CORECODER_MODEL.`);
  return { vendor, model: name, baseUrl: baseUrl ?? vendor.baseUrl };
}

function checkUrl(baseUrl: string | undefined): void {
  if (baseUrl === undefined) return;
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return;
  throw new UserError(exitCode.usage, `The base URL "${baseUrl}" is no http(s) address. It looks like https://host/v1.`);
}

/** A vendor's key goes to that vendor, or to an address the person chose; never to another vendor. */
export function mayReceive(choice: ModelChoice, keyVariable: string): boolean {
  const owner = vendors.find(({ keyVariables }) => keyVariables.includes(keyVariable));
  return owner === undefined || owner.name === choice.vendor.name || choice.baseUrl !== choice.vendor.baseUrl;
}

import type { ProviderSettingsTable } from "../contracts/model-settings.ts";
import { plainEffort } from "./effort.ts";
import type { Vendor } from "./vendor.ts";
import { vendorNamed } from "./vendors.ts";

/** Vendors of the person's settings, as rows like all others. */
export function ownVendors(table: ProviderSettingsTable | undefined): readonly Vendor[] {
  return Object.entries(table ?? {}).map(([name, { baseUrl, protocol, keyVariables = [], headers }]) => ({
    name,
    baseUrl: baseUrl.replace(/\/+$/, ""),
    keyVariables,
    models: undefined,
    needsKey: keyVariables.length > 0,
    replayThinking: true,
    tellsWindow: true,
    effort: plainEffort,
    ...(protocol === undefined ? {} : { protocol }),
    ...(headers === undefined ? {} : { headers }),
  }));
}

/** What is wrong with the names, if anything: a row of ours means the same on every machine. */
export function problemWithOwnVendors(table: ProviderSettingsTable | undefined): string | undefined {
  const taken = Object.keys(table ?? {}).find((name) => vendorNamed(name));
  return taken && `redefines the provider "${taken}", which is built in. Give yours another name.`;
}

import type { Settings } from "../config/settings-table.ts";
import { exitCode, UserError } from "../contracts/errors.ts";
import type { Provider } from "../contracts/provider.ts";
import type { ModelChoice } from "../providers/choose-vendor.ts";
import { connect } from "../providers/connect.ts";
import type { Post } from "../providers/http-stream.ts";
import { isSecretHeader } from "../providers/secret-header.ts";
import type { Vendor } from "../providers/vendor.ts";
import { vendorOfModel } from "../providers/vendors.ts";
import { createEndpointLessons } from "../session/endpoint-memory.ts";
import { askingForWindow } from "./ask-window.ts";

export type ConnectedModel = { readonly choice: ModelChoice; readonly apiKey: string };

export type ModelSwitchOptions = ConnectedModel & {
  readonly settings: Settings;
  readonly stateFolder: string;
  /** How requests leave; left out: straight over the network. */
  readonly post?: Post;
  /** May a server be asked for its window? Left out: no. */
  readonly asksWindow?: boolean;
  /** Address and key for a model that the person switches to; undefined when there is no key for it. */
  readonly resolveModel?: (name: string) => ConnectedModel | undefined;
};

/** Model and provider may change between prompts. A model of another vendor takes its own address and its own key, never ours. */
export function createModelSwitch(options: ModelSwitchOptions) {
  const { choice, settings, apiKey, stateFolder, post, asksWindow, resolveModel } = options;
  const memory = createEndpointLessons(`${stateFolder}/endpoints.json`);
  const connectTo = (to: ConnectedModel): Provider => {
    const way = post ? { post } : {};
    const provider = connect({ ...to, ...way, idleTimeoutMs: settings.streamIdleTimeoutMs ?? 120_000, memory });
    const mayAsk = asksWindow && settings.maxContext === undefined;
    return mayAsk ? askingForWindow(provider, { ...to, ...way, memory }) : provider;
  };
  const keys = new Set([apiKey, ...secretHeaders(choice)]);
  const vendorsUsed = new Map<string, Vendor>([[choice.model, choice.vendor]]);
  function resolve(name: string): ConnectedModel {
    const found = resolveModel?.(name);
    if (found === undefined)
      throw new UserError(
        exitCode.auth,
        `There is no key for ${name}. Set its vendor's variable before you start (\`corecoder models ${name}\` names the vendor).`,
      );
    for (const key of [found.apiKey, ...secretHeaders(found.choice)]) keys.add(key);
    vendorsUsed.set(found.choice.model, found.choice.vendor);
    return found;
  }
  let current = choice;
  let provider = connectTo({ choice, apiKey });
  return {
    memory,
    provider: () => provider,
    model: () => current.model,
    choice: () => current,
    /** Whose a model is that this session uses, or used before it was taken up again. */
    vendorOf: (model: string): Vendor => vendorsUsed.get(model) ?? vendorOfModel(model)?.vendor ?? current.vendor,
    /** Long enough to be told apart from other words. */
    keys: () => [...keys].filter((key) => key.length >= 8),
    /** Beside the current one, for a sub-agent. */
    connectOther(name: string): { readonly choice: ModelChoice; readonly provider: Provider } {
      const other = resolve(name);
      return { choice: other.choice, provider: connectTo(other) };
    },
    setModel(name: string) {
      const next = resolve(name);
      current = next.choice;
      provider = connectTo(next);
    },
  };
}

/** Headers of a vendor of the person's own that look like keys. */
function secretHeaders({ vendor }: ModelChoice): readonly string[] {
  return Object.entries(vendor.headers ?? {}).flatMap(([name, value]) =>
    isSecretHeader(name) ? [value, value.replace(/^\w+ /, "")] : [],
  );
}

import type { Settings } from "../config/settings-table.ts";
import { exitCode, UserError } from "../contracts/errors.ts";
import type { Provider } from "../contracts/provider.ts";
import type { ModelChoice } from "../providers/choose-vendor.ts";
import { connect } from "../providers/connect.ts";
import { createEndpointLessons } from "../session/endpoint-memory.ts";

export type ConnectedModel = { readonly choice: ModelChoice; readonly apiKey: string };

export type ModelSwitchOptions = ConnectedModel & {
  readonly settings: Settings;
  readonly stateFolder: string;
  /** Address and key for a model that the person switches to; undefined when there is no key for it. */
  readonly resolveModel?: (name: string) => ConnectedModel | undefined;
};

/** Model and provider may change between prompts. A model of another vendor takes its own address and its own key, never ours. */
export function createModelSwitch({ choice, settings, apiKey, stateFolder, resolveModel }: ModelSwitchOptions) {
  const memory = createEndpointLessons(`${stateFolder}/endpoints.json`);
  const connectTo = ({ choice: to, apiKey: key }: ConnectedModel): Provider =>
    connect({ choice: to, apiKey: key, idleTimeoutMs: settings.streamIdleTimeoutMs ?? 120_000, memory });
  const keys = new Set([apiKey]);
  let current = choice;
  let provider = connectTo({ choice, apiKey });
  return {
    memory,
    provider: () => provider,
    model: () => current.model,
    choice: () => current,
    /** Long enough to be told apart from other words. */
    keys: () => [...keys].filter((key) => key.length >= 8),
    setModel(name: string) {
      const next = resolveModel?.(name);
      if (next === undefined)
        throw new UserError(
          exitCode.auth,
          `There is no key for ${name}. Set its vendor's variable before you start (\`corecoder models ${name}\` names the vendor).`,
        );
      keys.add(next.apiKey);
      current = next.choice;
      provider = connectTo(next);
    },
  };
}

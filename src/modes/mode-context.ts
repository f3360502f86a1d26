import type { ParsedArguments } from "../config/arguments.ts";
import { childEnvironment } from "../config/child-environment.ts";
import { type Environment, loadSettings } from "../config/load.ts";
import { rememberSettings } from "../config/session-layer.ts";
import type { ProviderSettingsTable } from "../contracts/model-settings.ts";
import type { Post } from "../providers/http-stream.ts";
import { ownVendors } from "../providers/own-vendors.ts";
import { vendors } from "../providers/vendors.ts";
import type { Output } from "../ui/output.ts";
import { version } from "../version.ts";
import { type ResolvedModel, resolveModelOf } from "./resolve-model.ts";
import type { ResumedSession } from "./resume.ts";

/** What every mode starts from. */
export type ModeContext = {
  readonly parsed: ParsedArguments;
  readonly resolved: ResolvedModel;
  readonly resumed?: ResumedSession;
  /** How requests leave; left out: straight over the network. */
  readonly post?: Post;
  readonly cwd: string;
  readonly home: string;
  readonly environment: Environment;
  readonly output: Output;
  /** Ends the process at once; for signals that cannot wait. */
  readonly exit: (code: number) => never;
};

/** The part of the app's options that all modes share. */
export function appOptions({ parsed, resolved, resumed, post, cwd, home, environment }: ModeContext) {
  return {
    remembered: rememberSettings(resolved.loaded.settings, resolved.loaded.origins),
    prefix: parsed.run.keepPrefix ? ("saved" as const) : ("current" as const),
    ...(resumed ? { resumed: resumed.session, lock: resumed.lock } : {}),
    /** As if the program had been started with this model. */
    resolveModel(name: string) {
      const options = new Map(parsed.settings).set("model", {
        value: name,
        origin: { layer: "option", name: "/model" },
      });
      const sources = { cwd, environment, options };
      return resolveModelOf(parsed.run, loadSettings(sources), sources);
    },
    ...(post ? { post } : {}),
    settings: resolved.loaded.settings,
    isTrusted: resolved.loaded.trust.state === "trusted",
    choice: resolved.choice,
    apiKey: resolved.apiKey,
    stateFolder: resolved.loaded.stateFolder,
    cwd,
    home,
    version,
    asksWindow: parsed.run.record === undefined && parsed.run.replay === undefined,
    childEnvironment: environmentForChildren(environment, resolved.apiKey, resolved.loaded.settings.providers),
  };
}

export function environmentForChildren(
  environment: Environment,
  apiKey: string,
  providers?: ProviderSettingsTable,
): Record<string, string> {
  return childEnvironment(
    environment,
    [...vendors, ...ownVendors(providers)].flatMap((vendor) => vendor.keyVariables),
    apiKey,
  );
}

import type { ParsedArguments } from "../config/arguments.ts";
import { childEnvironment } from "../config/child-environment.ts";
import { type Environment, loadSettings } from "../config/load.ts";
import { rememberSettings } from "../config/session-layer.ts";
import { vendors } from "../providers/vendors.ts";
import type { Output } from "../ui/output.ts";
import { version } from "../version.ts";
import { type ResolvedModel, resolveModel } from "./resolve-model.ts";
import type { ResumedSession } from "./resume.ts";

/** What every mode starts from. */
export type ModeContext = {
  readonly parsed: ParsedArguments;
  readonly resolved: ResolvedModel;
  readonly resumed?: ResumedSession;
  readonly cwd: string;
  readonly home: string;
  readonly environment: Environment;
  readonly output: Output;
  /** Ends the process at once; for signals that cannot wait. */
  readonly exit: (code: number) => never;
};

/** The part of the app's options that all modes share. */
export function appOptions({ parsed, resolved, resumed, cwd, home, environment }: ModeContext) {
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
      return resolveModel(loadSettings(sources), sources);
    },
    settings: resolved.loaded.settings,
    choice: resolved.choice,
    apiKey: resolved.apiKey,
    stateFolder: resolved.loaded.stateFolder,
    cwd,
    home,
    version,
    childEnvironment: environmentForChildren(environment, resolved.apiKey),
  };
}

export function environmentForChildren(environment: Environment, apiKey: string): Record<string, string> {
  return childEnvironment(
    environment,
    vendors.flatMap((vendor) => vendor.keyVariables),
    apiKey,
  );
}

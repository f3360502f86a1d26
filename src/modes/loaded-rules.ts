import { homedir } from "node:os";
import type { LoadedSettings } from "../config/load.ts";
import { checkRules } from "../permissions/rule-examples.ts";
import { realOrSame } from "../platform/paths.ts";

/** Throws UserError 52 for a rule of a settings file that cannot be understood, or whose examples are not as it says. */
export async function checkLoadedRules({ settings, stateFolder }: LoadedSettings, cwd: string): Promise<void> {
  if (settings.permissions === undefined) return;
  await checkRules(settings.permissions, { root: realOrSame(cwd), home: homedir(), stateFolder });
}

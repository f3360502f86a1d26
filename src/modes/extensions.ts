import type { Extension, ExtensionContext } from "../contracts/extension.ts";
import { windowOf } from "../providers/model-limits.ts";
import { paint } from "../ui/output.ts";
import { environmentForChildren, type ModeContext } from "./mode-context.ts";

/** Every kind of extension, one line each: it looks for what it is about, and is loaded only when that exists. */
const finders: readonly ((context: ExtensionContext) => Promise<Extension | undefined>)[] = [];

/** A broken one is reported by itself and left out; the others work. */
export async function findExtensions(
  { cwd, home, environment, resolved, output }: ModeContext,
  person: "present" | "absent",
): Promise<readonly Extension[]> {
  const { loaded, choice, apiKey } = resolved;
  const context: ExtensionContext = {
    cwd,
    home,
    stateFolder: loaded.stateFolder,
    isTrusted: loaded.trust.state === "trusted",
    isInteractive: person === "present",
    environment: environmentForChildren(environment, apiKey),
    windowTokens: loaded.settings.maxContext ?? windowOf(choice) ?? 128_000,
    onNotice: (text) => output.err(`${paint(output, "dim", text)}\n`),
  };
  const found = await Promise.all(finders.map((find) => find(context)));
  return found.filter((extension) => extension !== undefined);
}

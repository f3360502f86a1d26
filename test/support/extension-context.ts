import { join } from "node:path";
import type { ExtensionContext } from "../../src/contracts/extension.ts";

/** What an extension is looked for with, in a temporary folder: nobody trusted, nobody there. */
export function extensionContext(folder: string, more: Partial<ExtensionContext> = {}): ExtensionContext {
  return {
    cwd: folder,
    home: folder,
    stateFolder: join(folder, "state"),
    isTrusted: false,
    isInteractive: false,
    environment: {},
    windowTokens: 128_000,
    memory: "on",
    isSecret: () => false,
    onNotice: () => {},
    ...more,
  };
}

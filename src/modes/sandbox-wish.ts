import type { Settings } from "../config/settings-table.ts";
import { exitCode, UserError } from "../contracts/errors.ts";
import type { PermissionMode } from "../contracts/permission.ts";

type WishOptions = {
  readonly settings: Settings;
  readonly stateFolder: string;
  readonly onNotice: (text: string) => void;
};

/** Whether commands run in a sandbox; tried when the first one is judged, not before. */
export function createSandboxWish(
  { settings, stateFolder, onNotice }: WishOptions,
  mode: () => PermissionMode,
): () => Promise<boolean> {
  const wish = settings.sandbox ?? "auto";
  let isTold = false;
  return async () => {
    if (wish === "off" || (wish === "auto" && mode() !== "auto")) return false;
    const { findSandbox } = await import("../platform/sandbox/sandbox.ts");
    const found = await findSandbox();
    if (found.works) return true;
    if (wish === "always")
      throw new UserError(
        exitCode.config,
        `No sandbox (--sandbox always): ${found.because}. Use --sandbox off to go on without one.`,
      );
    if (!isTold) {
      const { rememberSandbox } = await import("../platform/sandbox/expect-sandbox.ts");
      rememberSandbox(stateFolder, false);
      onNotice(`No sandbox: ${found.because}. Commands are treated as in acceptEdits.`);
    }
    isTold = true;
    return false;
  };
}

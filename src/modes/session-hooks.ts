import type { Settings } from "../config/settings-table.ts";
import type { HookEventName, Hooks } from "../contracts/hook.ts";
import type { AskPermission, PermissionMode } from "../contracts/permission.ts";
import { realOrSame } from "../platform/paths.ts";

type HookOptions = {
  readonly settings: Settings;
  readonly cwd: string;
  readonly childEnvironment: Readonly<Record<string, string>>;
  readonly ask?: AskPermission;
  readonly onNotice: (text: string) => void;
};

type HookedSession = {
  readonly id: string;
  readonly path: string;
  readonly folder: () => string;
  readonly mode: () => PermissionMode;
};

/** Nothing is loaded where no hooks are set. */
export function openHooks(options: HookOptions, { id, path, folder, mode }: HookedSession): Hooks | undefined {
  const definitions = options.settings.hooks ?? [];
  if (definitions.length === 0) return undefined;
  const loaded = import("../hooks/hooks.ts").then(({ createHooks }) =>
    createHooks({
      definitions,
      folder: realOrSame(options.cwd),
      environment: options.childEnvironment,
      session: () => ({
        sessionId: id,
        transcriptPath: path,
        cwd: folder(),
        permissionMode: mode(),
      }),
    }),
  );
  return {
    wants: (name: HookEventName) => definitions.some(({ event }) => event === name),
    run: async (event, signal) => (await loaded).run(event, signal),
  };
}

export async function sayGoodbye(hooks: Hooks, { ask, onNotice }: HookOptions): Promise<void> {
  const reason = ask === undefined ? "other" : "prompt_input_exit";
  const { notices } = await hooks.run({ type: "SessionEnd", reason }, AbortSignal.timeout(goodbyeMs));
  for (const notice of notices) onNotice(notice);
}

/** Longest that hooks may hold up the end of a session. */
const goodbyeMs = 10_000;

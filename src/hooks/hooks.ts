import { messageOf } from "../contracts/errors.ts";
import type { HookDefinition, HookOutcome, Hooks } from "../contracts/hook.ts";
import { hashOfFile, pathsNamedIn } from "../platform/named-files.ts";
import { displayPath } from "../platform/paths.ts";
import { runPiped } from "../platform/piped-command.ts";
import { failure, hookAnswer, nameOf } from "./hook-answer.ts";
import { type HookSession, hookInput } from "./hook-input.ts";

export type HooksOptions = {
  readonly definitions: readonly HookDefinition[];
  /** The project: where hooks run. */
  readonly folder: string;
  /** The whole environment, free of keys. */
  readonly environment: Readonly<Record<string, string>>;
  readonly session: () => HookSession;
};

const outputLimitBytes = 1024 * 1024;

/** All hooks that fit an event run at the same time; one that refuses is enough. */
export function createHooks({ definitions, folder, environment, session }: HooksOptions): Hooks {
  const env = { ...environment, CLAUDE_PROJECT_DIR: folder, CORECODER_PROJECT_DIR: folder };
  const scripts = new Map(definitions.map((hook) => [hook, fingerprints(hook.command, folder)]));

  async function runOne(hook: HookDefinition, stdin: string, signal: AbortSignal): Promise<HookOutcome> {
    const changed = [...(scripts.get(hook) ?? [])].find(([path, hash]) => hashOfFile(path) !== hash)?.[0];
    if (changed !== undefined) return distrusted(hook, displayPath(changed, folder));
    const { command, timeoutMs } = hook;
    // nobody comes after the end of a session to tidy up
    const leftovers = hook.event === "SessionEnd" ? "ended" : "kept";
    const limitBytes = outputLimitBytes;
    try {
      const request = { command, cwd: folder, env, stdin, timeoutMs, signal, limitBytes, leftovers } as const;
      return hookAnswer(hook, await runPiped(request));
    } catch (error) {
      return failure(hook, `cannot be started: ${messageOf(error)}`);
    }
  }

  return {
    wants: (name) => definitions.some(({ event }) => event === name),
    async run(event, signal) {
      const seen = new Set<string>();
      const fitting = definitions.flatMap((hook) => {
        const input = hookInput(hook, event, session());
        if (input === undefined || seen.has(hook.command)) return [];
        seen.add(hook.command);
        return [{ hook, input }];
      });
      return combine(await Promise.all(fitting.map(({ hook, input }) => runOne(hook, input, signal))));
    },
  };
}

/** Also of what is not there yet: whoever makes it decides what is run. */
function fingerprints(command: string, folder: string): ReadonlyMap<string, string | undefined> {
  return new Map(pathsNamedIn(command, folder).map((path) => [path, hashOfFile(path)]));
}

/**
 * The agent can write what lies in the folder: a script that changed since the start is not the one that was trusted, so it is not run, and
 * a guard that cannot be asked lets nothing pass.
 */
function distrusted(hook: HookDefinition, script: string): HookOutcome {
  const what = `${script} changed since this session began, so the ${hook.event} hook \`${nameOf(hook)}\` is not run`;
  if (hook.event === "PreToolUse") return { block: `${what}; it takes effect in a new session`, notices: [] };
  return { notices: [`${what}. A new session takes it up.`] };
}

/** Refusing beats asking beats allowing; of several changed inputs the last one counts. */
function combine(outcomes: readonly HookOutcome[]): HookOutcome {
  const texts = (pick: (outcome: HookOutcome) => string | undefined) => {
    const found = outcomes.flatMap((outcome) => pick(outcome) ?? []);
    return found.length > 0 ? found.join("\n\n") : undefined;
  };
  const block = texts((outcome) => outcome.block);
  const context = texts((outcome) => outcome.context);
  const stop = texts((outcome) => outcome.stop);
  const input = outcomes.findLast((outcome) => outcome.input !== undefined)?.input;
  const permissions = outcomes.flatMap(({ permission }) => permission ?? []);
  const permission = permissions.find(({ verdict }) => verdict === "ask") ?? permissions[0];
  return {
    ...(block === undefined ? {} : { block }),
    ...(context === undefined ? {} : { context }),
    ...(stop === undefined ? {} : { stop }),
    ...(input === undefined ? {} : { input }),
    ...(permission === undefined ? {} : { permission }),
    notices: outcomes.flatMap(({ notices }) => notices),
  };
}

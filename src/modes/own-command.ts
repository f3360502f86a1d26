import { messageOf } from "../contracts/errors.ts";
import type { Part } from "../contracts/message.ts";
import { createCleanStream } from "../platform/clean-stream.ts";
import { findShell, startShell, withinLimits } from "../platform/shell.ts";

const shownLimit = 20_000;
const hourMs = 3_600_000;

type Place = { readonly cwd: string; readonly signal: AbortSignal };

export type OwnCommands = {
  /** Nobody is asked. Answers with what it printed and how it ended. */
  run(command: string, place: Place): Promise<string>;
  /** The next prompt, with what was run since the last one; each is told once. */
  with(prompt: readonly Part[]): readonly Part[];
};

/** Commands that the person types themselves, as `!command`. */
export function createOwnCommands(environment: Readonly<Record<string, string>>): OwnCommands {
  let told: string[] = [];
  return {
    async run(command, place) {
      const text = await runOwn(command, environment, place);
      told.push(`[The user ran this command: ${command}]\n${text}`);
      return text;
    },
    with(prompt) {
      const parts = told.map((text) => ({ type: "text", text: `\n\n${text}` }) as const);
      told = [];
      return [...prompt, ...parts];
    },
  };
}

async function runOwn(
  command: string,
  environment: Readonly<Record<string, string>>,
  { cwd, signal }: Place,
): Promise<string> {
  const clean = createCleanStream();
  let text = "";
  const add = (piece: string) => {
    text += piece;
    // both ends of a long output say most
    if (text.length > 2 * shownLimit) text = `${text.slice(0, shownLimit / 2)}\n[…]\n${text.slice(-shownLimit / 2)}`;
  };
  try {
    const running = await startShell({
      shell: findShell(environment.PATH),
      command,
      cwd,
      env: environment,
      state: "ignored",
      onOutput: (bytes) => add(clean.push(bytes)),
    });
    const result = await withinLimits(running, { timeoutMs: hourMs, signal, overLimit: "end" });
    add(clean.end());
    const code = result === "released" ? null : result.code;
    const ending = signal.aborted ? "[interrupted]" : code === 0 ? "" : `[exit code ${code ?? "unknown"}]`;
    return [text.trimEnd(), ending].filter((part) => part !== "").join("\n") || "(no output)";
  } catch (error) {
    return `The command could not be started: ${messageOf(error)}`;
  }
}

import type { Script, ScriptedModel } from "../../src/testing/index.ts";
import type { Terminal } from "./pty.ts";
import type { World } from "./world.ts";

/** The program in a terminal, at its first prompt, with a model that follows the script. */
export async function openConversation(
  world: World,
  script: Script,
  args: readonly string[] = [],
): Promise<{ readonly terminal: Terminal; readonly model: ScriptedModel }> {
  const model = await world.model(script);
  const terminal = world.terminal(args, { model });
  await terminal.waitForPrompt();
  return { terminal, model };
}

/** Types a line; answers with all that is shown until the next prompt. */
export function say(terminal: Terminal, line: string): Promise<string> {
  terminal.type(line);
  return terminal.waitForPrompt();
}

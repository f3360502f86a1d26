import type { SlashCommand } from "../contracts/command.ts";
import { exitCode, UserError } from "../contracts/errors.ts";
import type { Part } from "../contracts/message.ts";

/** `/name …` where there is no terminal: skills and commands of the person's, which stand for a prompt. Anything else is sent as it is. */
export async function promptOfCommand(
  parts: readonly Part[],
  { commands }: { readonly commands: readonly SlashCommand[] },
): Promise<readonly Part[]> {
  const [first, ...rest] = parts;
  if (first?.type !== "text") return parts;
  const [, name, argument = ""] = /^\/([A-Za-z][\w:-]*)(?:\s+([\s\S]*))?$/.exec(first.text.trim()) ?? [];
  const command = commands.find((known) => known.name === name || known.aliases?.includes(name ?? ""));
  if (command === undefined) return parts;
  const printed: string[] = [];
  const outcome = await command.run(argument, onlyPrinting(printed));
  if (typeof outcome === "object") return [{ type: "text", text: outcome.prompt }, ...rest];
  throw new UserError(exitCode.usage, printed.join("") || `/${name} works in a terminal only.`);
}

/** A command that wants more than to print belongs into a terminal. */
function onlyPrinting(printed: string[]) {
  return new Proxy({} as Parameters<SlashCommand["run"]>[1], {
    get: (_, key) =>
      key === "print"
        ? (text: string) => void printed.push(text)
        : () => {
            throw new UserError(exitCode.usage, "This command works in a terminal only.");
          },
  });
}

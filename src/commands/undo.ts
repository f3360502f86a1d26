import type { CommandOutcome, SlashCommand } from "../contracts/command.ts";
import type { UndoScope } from "../contracts/session.ts";

const scopes: Readonly<Record<string, UndoScope>> = { files: "files", conversation: "conversation", both: "both" };

export const undo: SlashCommand = {
  name: "undo",
  usage: "[TURNS] [files|conversation]",
  summary: "take back the last turn: its changes to files and what was said",
  async run(argument, host): Promise<CommandOutcome> {
    let turns = 1;
    let what: UndoScope = "both";
    for (const word of argument.split(/\s+/).filter((part) => part !== "")) {
      const scope = Object.hasOwn(scopes, word) ? scopes[word] : undefined;
      if (scope) what = scope;
      else if (/^[1-9]\d{0,5}$/.test(word)) turns = Number(word);
      else {
        host.print(
          `/undo does not know "${word}". It takes a number of turns, and files or conversation for one alone.\n`,
        );
        return "continue";
      }
    }
    host.print(await host.undo({ turns, what }));
    return "continue";
  },
};

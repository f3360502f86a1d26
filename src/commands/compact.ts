import type { CommandOutcome, SlashCommand } from "../contracts/command.ts";

export const compact: SlashCommand = {
  name: "compact",
  usage: "[FOCUS]",
  summary: "fold the conversation into a summary now",
  async run(argument, host): Promise<CommandOutcome> {
    host.print(await host.compact(argument === "" ? undefined : argument));
    return "continue";
  },
};

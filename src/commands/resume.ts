import type { CommandOutcome, SlashCommand } from "../contracts/command.ts";

export const resume: SlashCommand = {
  name: "resume",
  usage: "[ID]",
  summary: "go on with a saved session: its id, the beginning of it, or its name",
  async run(argument, host): Promise<CommandOutcome> {
    host.print(await host.resume(argument === "" ? undefined : argument));
    return "continue";
  },
};

import type { CommandOutcome, SlashCommand } from "../contracts/command.ts";

export const rewind: SlashCommand = {
  name: "rewind",
  usage: "[TURNS]",
  summary: "go on from an earlier prompt, in a copy of this session",
  async run(argument, host): Promise<CommandOutcome> {
    if (argument !== "" && !/^[1-9]\d{0,5}$/.test(argument)) {
      host.print(
        `/rewind takes the number of turns to go back, got "${argument}". Without one it shows the prompts.\n`,
      );
      return "continue";
    }
    host.print(await host.rewind(argument === "" ? undefined : Number(argument)));
    return "continue";
  },
};

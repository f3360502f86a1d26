import type { CommandOutcome, SlashCommand } from "../contracts/command.ts";

export const diff: SlashCommand = {
  name: "diff",
  usage: "[TURNS|FILE]",
  summary: "what this session changed: all of it, in the last turns, or in one file",
  async run(argument, host): Promise<CommandOutcome> {
    const wanted =
      argument === "" ? {} : /^[1-9]\d{0,5}$/.test(argument) ? { turns: Number(argument) } : { path: argument };
    await host.printDiff(await host.diff(wanted));
    return "continue";
  },
};

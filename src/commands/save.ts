import type { SlashCommand } from "../contracts/command.ts";

export const save: SlashCommand = {
  name: "save",
  usage: "[NAME]",
  summary: "give this session a name, for corecoder -r NAME; everything is saved anyway",
  run(argument, host) {
    host.print(host.save(argument));
    return "continue";
  },
};

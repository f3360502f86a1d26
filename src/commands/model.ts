import type { SlashCommand } from "../contracts/command.ts";

export const model: SlashCommand = {
  name: "model",
  usage: "[NAME]",
  summary: "show or switch the model",
  run(argument, host) {
    if (argument !== "") host.setModel(argument);
    host.print(`Model: ${host.model()}\n`);
    return "continue";
  },
};

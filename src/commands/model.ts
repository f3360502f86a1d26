import type { CommandHost, CommandOutcome, SlashCommand } from "../contracts/command.ts";

export const model: SlashCommand = {
  name: "model",
  usage: "[NAME]",
  summary: "show or switch the model",
  run: (argument, host) =>
    argument === "" && host.pickModel ? host.pickModel().then((name) => use(name, host)) : use(argument, host),
};

function use(name: string | undefined, host: CommandHost): CommandOutcome {
  if (name) host.setModel(name);
  host.print(`Model: ${host.model()}\n`);
  return "continue";
}

import type { CommandHost, CommandOutcome, SlashCommand } from "../contracts/command.ts";

/** A command that only shows something. */
export function report(name: string, summary: string, read: (host: CommandHost) => Promise<string>): SlashCommand {
  return {
    name,
    summary,
    async run(_argument, host): Promise<CommandOutcome> {
      host.print(await read(host));
      return "continue";
    },
  };
}

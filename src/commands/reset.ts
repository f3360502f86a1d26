import type { SlashCommand } from "../contracts/command.ts";

export const reset: SlashCommand = {
  name: "reset",
  aliases: ["clear"],
  summary: "start a new conversation",
  run(_argument, host) {
    host.reset();
    host.print("New conversation. Files stay as they are.\n");
    return "continue";
  },
};

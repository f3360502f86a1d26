import type { SlashCommand } from "../contracts/command.ts";

export const quit: SlashCommand = {
  name: "quit",
  aliases: ["exit"],
  summary: "leave (also Ctrl-D)",
  run: () => "quit",
};

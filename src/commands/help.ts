import type { SlashCommand } from "../contracts/command.ts";

export const help: SlashCommand = {
  name: "help",
  summary: "this list",
  run(_argument, host) {
    const rows = host.commands.map(({ name, aliases = [], usage, summary }) => {
      const names = [name, ...aliases].map((word) => `/${word}`).join(", ");
      return `  ${`${names}${usage ? ` ${usage}` : ""}`.padEnd(24)} ${summary}`;
    });
    host.print(
      `${rows.join("\n")}\n\n  Enter sends. A line that ends in \\ goes on. Ctrl-C stops the agent; at the prompt, twice, it quits.\n`,
    );
    return "continue";
  },
};

import type { SlashCommand } from "../contracts/command.ts";

/** Those marked with * are of the full interface alone. */
const keys = `  Enter sends. A line that ends in \\ goes on; so do Shift+Enter, Alt+Enter and Esc Enter*. ↑ ↓ what was sent before, Ctrl+R searches it*.
  Esc or Ctrl-C stops the agent; at the prompt Ctrl-C clears, twice it quits, and Esc Esc goes back to an earlier prompt*.
  What you send while it works is delivered at its next step*. Tab completes /commands and @files*. !command runs it and tells the model.
  Shift+Tab changes the permission mode*, Ctrl+O unfolds the last output*, Ctrl+G opens your editor*, Alt+M picks a model*.
`;

export const help: SlashCommand = {
  name: "help",
  summary: "this list",
  run(_argument, host) {
    const rows = host.commands.map(({ name, aliases = [], usage, summary }) => {
      const names = [name, ...aliases].map((word) => `/${word}`).join(", ");
      return `  ${`${names}${usage ? ` ${usage}` : ""}`.padEnd(24)} ${summary}`;
    });
    host.print(`${rows.join("\n")}\n\n${keys}`);
    return "continue";
  },
};

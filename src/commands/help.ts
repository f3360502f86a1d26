import type { KeyHelp, SlashCommand } from "../contracts/command.ts";

export const help: SlashCommand = {
  name: "help",
  summary: "this list",
  run(_argument, host) {
    const commands = host.commands.map(({ name, aliases = [], usage, summary }) => ({
      keys: `${[name, ...aliases].map((word) => `/${word}`).join(", ")}${usage ? ` ${usage}` : ""}`,
      does: summary,
    }));
    const { keys = [], columns = 80 } = host;
    host.print(`${table(commands, columns)}${keys.length > 0 ? `\n${table(keys, columns)}` : ""}`);
    return "continue";
  },
};

/** A first column wider than this takes a row of its own. */
const widestName = 26;

function table(rows: readonly KeyHelp[], columns: number): string {
  const name = Math.min(widestName, Math.max(...rows.map(({ keys }) => keys.length)));
  const isNarrow = columns < 60;
  const indent = " ".repeat(isNarrow ? 4 : name + 4);
  return rows
    .map(({ keys, does }) => {
      const lines = wrapped(does, columns - indent.length);
      const isBeside = !isNarrow && keys.length <= name;
      const first = isBeside ? `  ${keys.padEnd(name)}  ${lines[0]}` : `  ${keys}`;
      return [first, ...lines.slice(isBeside ? 1 : 0).map((line) => indent + line)].join("\n");
    })
    .map((row) => `${row}\n`)
    .join("");
}

function wrapped(text: string, width: number): string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const last = lines.at(-1) ?? "";
    if (last !== "" && last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = last === "" ? word : `${last} ${word}`;
  }
  return lines;
}

import { loadSettings } from "../config/load.ts";
import { type ExitCode, exitCode } from "../contracts/errors.ts";
import { showControl } from "../platform/terminal-text.ts";
import { type ModelRow, modelsTable } from "../providers/models-table.ts";
import { tokensText } from "../ui/figures.ts";
import { type TableColumn, textTable } from "../ui/text-table.ts";
import type { SubcommandContext } from "./subcommand.ts";

const widthWithoutTerminal = 120;

const rate = (dollars: number | undefined) => (dollars === undefined ? "" : `$${Number(dollars.toFixed(4))}`);

const tokens = (count: number | undefined) => (count === undefined ? "" : tokensText(count));

const columns: readonly TableColumn<ModelRow>[] = [
  { title: "model", text: ({ model }) => showControl(model) },
  { title: "vendor", text: ({ vendor }) => vendor, goes: 5 },
  { title: "window", align: "right", text: ({ limits }) => tokens(limits?.windowTokens) },
  { title: "output", align: "right", text: ({ limits }) => tokens(limits?.outputTokens), goes: 3 },
  { title: "can", text: abilities, goes: 2 },
  { title: "$/M in", align: "right", text: ({ prices }) => rate(prices?.input) },
  { title: "out", align: "right", text: ({ prices }) => rate(prices?.output) },
  { title: "cache read", align: "right", text: ({ prices }) => rate(prices?.cacheRead), goes: 1 },
  { title: "write", align: "right", text: ({ prices }) => rate(prices?.cacheWrite), goes: 4 },
];

function abilities({ limits }: ModelRow): string {
  if (limits === undefined) return "";
  return [limits.images && "see", limits.thinking && "think", limits.tools && "call"].filter(Boolean).join(" ");
}

/** Which figures are the person's own. */
function fromSettings(rows: readonly ModelRow[]): string {
  const own = rows.flatMap(({ model, fromSettings: fields }) => (fields ? `${model} (${fields.join(", ")})` : []));
  return own.length === 0 ? "" : `${showControl(`From your settings: ${own.join("; ")}`)}.\n`;
}

/** `corecoder models [QUERY]`: what models take, can do and cost. */
export async function runModels({ words, parsed, cwd, environment, output }: SubcommandContext): Promise<ExitCode> {
  const query = words.join(" ");
  const { settings, warnings } = loadSettings({ cwd, environment, options: parsed.settings });
  for (const warning of warnings) output.err(`${warning}\n`);
  const table = await modelsTable(query, settings.models);
  if (parsed.run.json) {
    output.out(`${JSON.stringify(table, null, 2)}\n`);
    return exitCode.done;
  }
  if (table.rows.length === 0) {
    output.err(
      `No known model matches "${query}". Any name works with --model; set its window with --max-context. \`corecoder models\` lists the usual ones.\n`,
    );
    return exitCode.failed;
  }
  const width = process.stdout.columns ?? widthWithoutTerminal;
  output.out(`${textTable(table.rows, columns, width).join("\n")}\n`);
  output.err(
    `Limits: ${table.sources.limits}. Prices: ${table.sources.prices}; USD for a million tokens.\n${fromSettings(table.rows)}`,
  );
  return exitCode.done;
}

import { cleanLine } from "./clean-text.ts";
import type { BookEntry } from "./tool-book.ts";
import { valid } from "./tool-names.ts";

export type CatalogueOptions = {
  readonly entries: readonly BookEntry[];
  /** Of servers that have not answered yet. */
  readonly waitingFor: readonly string[];
  readonly budgetTokens: number;
  readonly estimateTokens: (text: string) => number;
};

/** The part of the system prompt that names the tools: with a few words each where that fits, else names, else as many as fit. */
export function catalogue(options: CatalogueOptions): string {
  const { entries, waitingFor, budgetTokens, estimateTokens } = options;
  const late = waitingFor.length > 0 ? `\nStill starting: ${waitingFor.join(", ")}.` : "";
  const head = `# MCP tools\nTools of servers, named mcp__server__tool. Their schemas are not loaded: find_tools brings them, call_tool runs one.`;
  const servers = [...new Set(entries.map(({ server }) => server))].map((server) => ({
    title: `${valid(server.definition.name)}__`,
    tools: entries.filter((entry) => entry.server === server),
  }));
  const whole = (line: (tools: readonly BookEntry[]) => string) =>
    `${head}\n${servers.map(({ title, tools }) => `- ${title}: ${line(tools)}`).join("\n")}${late}`;
  const fits = (text: string) => estimateTokens(text) <= budgetTokens;
  const described = whole((tools) => tools.map((entry) => withWords(entry)).join("; "));
  if (estimateTokens(described) <= budgetTokens / 2) return described;
  for (let most = Math.max(0, ...servers.map(({ tools }) => tools.length)); most > 0; most = Math.floor(most * 0.8)) {
    const text = whole((tools) => namesOf(tools, most));
    if (fits(text)) return text;
  }
  const counts = servers.map(({ title, tools }) => `${title} ${tools.length}`).slice(0, 40);
  return `${head}\nTools by server: ${counts.join(", ")}${servers.length > 40 ? ", …" : ""}${late}`;
}

function withWords({ tool }: BookEntry): string {
  const words = cleanLine(tool.description.split(/(?<=[.!?])\s|\n/)[0], 70);
  return words ? `${tool.name} (${words})` : tool.name;
}

function namesOf(tools: readonly BookEntry[], most: number): string {
  const names = tools.slice(0, most).map(({ tool }) => tool.name);
  return tools.length > most ? `${names.join(", ")}, and ${tools.length - most} more` : names.join(", ");
}

import * as schema from "../contracts/schema.ts";
import { type AnyTool, defineTool } from "../contracts/tool.ts";
import { boundedText } from "./call-result.ts";
import type { BookEntry, ToolBook } from "./tool-book.ts";

const mostShown = 5;
const enoughChars = 12_000;

/** Brings the schemas of a few tools into the conversation: behind everything that was sent before, so that all of it stays in the cache. */
export function createFindTools(book: ToolBook): AnyTool {
  return defineTool({
    name: "find_tools",
    description:
      "Finds tools of MCP servers by what they do or by name, and shows how to call them. Call one with call_tool, or directly by its name.",
    input: schema.object({ query: schema.string("what the tool should do, or its name") }),
    effect: "none" as const,
    describe: ({ query }: { query: string }) => ({ label: "find tools", title: query }),
    async run({ query }: { query: string }, context) {
      const entries = book.entries();
      const found = rank(query, entries);
      if (found.length === 0) return { text: nothingFound(query, entries) };
      const shown: string[] = [];
      let chars = 0;
      for (const { name, tool } of found.slice(0, mostShown)) {
        const text = `${name}\n${tool.description}\ninput: ${JSON.stringify(tool.schema)}`;
        if (shown.length > 0 && chars + text.length > enoughChars) break;
        shown.push(text);
        chars += text.length;
      }
      const others = found.slice(shown.length, shown.length + 20).map(({ name }) => name);
      const more = others.length > 0 ? [`Also: ${others.join(", ")}`] : [];
      return {
        text: boundedText([...shown, ...instructionsOf(found.slice(0, shown.length)), ...more].join("\n\n"), context),
      };
    },
  });
}

function instructionsOf(entries: readonly BookEntry[]): readonly string[] {
  const servers = new Set(entries.map(({ server }) => server));
  return [...servers].flatMap((server) => {
    const words = server.listing()?.instructions;
    return words ? [`About the server ${server.definition.name}: ${words}`] : [];
  });
}

function nothingFound(query: string, entries: readonly BookEntry[]): string {
  const servers = [...new Set(entries.map(({ server }) => server.definition.name))];
  return `No tool matches ${JSON.stringify(query.slice(0, 200))}. There are ${entries.length} tools of ${servers.join(", ") || "no servers"}; try other words, or the name of a server.`;
}

const wordsOf = (text: string) =>
  text
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** Best first: words in the name count most, rare words more than frequent ones. */
export function rank(query: string, entries: readonly BookEntry[]): readonly BookEntry[] {
  const wanted = [...new Set(wordsOf(query))];
  const texts = entries.map((entry) => ({
    entry,
    name: wordsOf(entry.tool.name),
    server: wordsOf(entry.server.definition.name),
    description: wordsOf(entry.tool.description),
  }));
  const has = (words: readonly string[], word: string) =>
    words.includes(word)
      ? 1
      : words.some((each) => each.length > 2 && (each.startsWith(word) || word.startsWith(each)))
        ? 0.6
        : 0;
  const weights = wanted.map((word) => {
    const among = texts.filter(
      ({ name, server, description }) => has([...name, ...server, ...description], word) > 0,
    ).length;
    return Math.log(1 + entries.length / (1 + among));
  });
  const exact = query.trim().toLowerCase();
  return texts
    .map(({ entry, name, server, description }) => {
      const isExact = entry.name.toLowerCase() === exact || entry.tool.name.toLowerCase() === exact;
      const score = wanted.reduce(
        (sum, word, at) =>
          sum + (weights[at] ?? 0) * (4 * has(name, word) + 2 * has(server, word) + has(description, word)),
        isExact ? 1_000 : 0,
      );
      return { entry, score };
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.entry.name < b.entry.name ? -1 : 1))
    .map(({ entry }) => entry);
}

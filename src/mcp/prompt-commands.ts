import type { SlashCommand } from "../contracts/command.ts";
import { exitCode, UserError } from "../contracts/errors.ts";
import { boundedText } from "./call-result.ts";
import { fieldsOf, type ServerPrompt } from "./listing.ts";
import type { Server } from "./server.ts";
import { valid } from "./tool-names.ts";

/** The prompts of servers as `/mcp:server:prompt`. */
export function promptCommands(servers: readonly Server[]): readonly SlashCommand[] {
  return servers.flatMap((server) => (server.listing()?.prompts ?? []).map((prompt) => commandFor(server, prompt)));
}

function commandFor(server: Server, prompt: ServerPrompt): SlashCommand {
  const name = `mcp:${valid(server.definition.name)}:${valid(prompt.name)}`.toLowerCase();
  const usage = prompt.arguments.map(({ name: key, isRequired }) => (isRequired ? key : `[${key}]`)).join(" ");
  return {
    name,
    ...(usage ? { usage } : {}),
    summary: prompt.description || `prompt of the server ${server.definition.name}`,
    async run(line) {
      const given = argumentsFrom(line, prompt);
      const missing = prompt.arguments.filter(({ name: key, isRequired }) => isRequired && given[key] === undefined);
      if (missing.length > 0)
        throw new UserError(
          exitCode.usage,
          `/${name} needs ${missing.map(({ name: key }) => key).join(", ")}: /${name} ${usage}`,
        );
      const { signal } = new AbortController();
      const { messages } = fieldsOf(
        await server.request("prompts/get", { name: prompt.name, arguments: given }, { signal }),
      );
      const texts = (Array.isArray(messages) ? messages : []).map(
        (message) => fieldsOf(fieldsOf(message).content).text,
      );
      const text = texts.filter((part) => typeof part === "string").join("\n\n");
      if (text === "")
        throw new UserError(exitCode.failed, `The server ${server.definition.name} answered /${name} without a text.`);
      return { prompt: boundedText(text, { keep: () => undefined, handle: "" }) };
    },
  };
}

/** By their order, the last one takes the rest; or `name=value`. Quotes hold words together. */
function argumentsFrom(line: string, { arguments: known }: ServerPrompt): Record<string, string> {
  const words = [...line.matchAll(/(?:([\w-]+)=)?(?:"([^"]*)"|'([^']*)'|(\S+))/g)];
  const given: Record<string, string> = {};
  const loose: string[] = [];
  for (const [whole, key, double, single, plain] of words) {
    if (key !== undefined && known.some(({ name }) => name === key)) given[key] = double ?? single ?? plain ?? "";
    else loose.push(key === undefined ? (double ?? single ?? plain ?? "") : whole);
  }
  const open = known.filter(({ name }) => given[name] === undefined);
  open.forEach(({ name }, at) => {
    const words = at === open.length - 1 ? loose.slice(at) : loose.slice(at, at + 1);
    if (words.length > 0) given[name] = words.join(" ");
  });
  return given;
}

import { findAgentKinds } from "../agents/find-kinds.ts";
import { effectiveRules } from "../config/effective-rules.ts";
import type { LoadedSettings } from "../config/load.ts";
import { messageOf, UserError } from "../contracts/errors.ts";
import type { Extension, ExtensionContext } from "../contracts/extension.ts";
import { findCustomCommands } from "../custom-commands/find-commands.ts";
import { findMemory } from "../memory/find-memory.ts";
import { isNamedHost } from "../permissions/host-rules.ts";
import { isSecretPath } from "../permissions/secret-paths.ts";
import { nestedInstructions } from "../prompt/nested-instructions.ts";
import { windowOf } from "../providers/model-limits.ts";
import { findSkills } from "../skills/find-skills.ts";
import { paint } from "../ui/output.ts";
import { findWeb } from "../web/find-web.ts";
import { environmentForChildren, type ModeContext } from "./mode-context.ts";

/** Every kind of extension, one line each: it looks for what it is about, and is loaded only when that exists. */
const finders: readonly ((context: ExtensionContext, mode: ModeContext) => Promise<Extension | undefined>)[] = [
  async (context) => nestedInstructions(context),
  findSkills,
  findMemory,
  findAgentKinds,
  findWeb,
  (context) => findCustomCommands(context, builtInNames),
  async (context, mode) => (namesServers(mode) ? (await import("./mcp.ts")).openMcp(context, mode) : undefined),
];

/** A broken one is reported by itself and left out; the others work. */
export async function findExtensions(mode: ModeContext, person: "present" | "absent"): Promise<readonly Extension[]> {
  const { cwd, home, environment, resolved, resumed, output } = mode;
  const { loaded, choice, apiKey } = resolved;
  const context: ExtensionContext = {
    cwd,
    home,
    stateFolder: loaded.stateFolder,
    isTrusted: loaded.trust.state === "trusted",
    isInteractive: person === "present",
    environment: environmentForChildren(environment, apiKey, loaded.settings.providers),
    windowTokens: loaded.settings.maxContext ?? windowOf(choice) ?? 128_000,
    memory: loaded.settings.memory === "off" ? "off" : "on",
    ...(resumed
      ? { resumedTools: namesOf(resumed.session.prefix?.tools as readonly { name: string }[] | undefined) }
      : {}),
    isSecret: isSecretPath,
    ...networkOf(loaded),
    onNotice: (text) => output.err(`${paint(output, "dim", text)}\n`),
  };
  const found = await Promise.all(
    finders.map((find) =>
      find(context, mode).catch((error: unknown) => {
        if (error instanceof UserError) throw error;
        context.onNotice(`An extension was left out: ${messageOf(error)}`);
        return undefined;
      }),
    ),
  );
  return found.filter((extension) => extension !== undefined);
}

function namesServers({ resolved }: ModeContext): boolean {
  const { mcpServers, mcpConfig } = resolved.loaded.settings;
  return mcpServers !== undefined || mcpConfig !== undefined;
}

/** By a rule for hosts or for the tool itself, or because the person says so. */
function networkOf(loaded: LoadedSettings): Pick<ExtensionContext, "network"> {
  const { settings } = loaded;
  const rules = effectiveRules(settings);
  const isRuled = [...rules.allow, ...rules.ask].some((rule) => /\b(network|web_fetch)\b/i.test(rule));
  const isOffered = settings.webFetch === "on" || (settings.webFetch !== "off" && isRuled);
  if (!isOffered) return {};
  const isNamed = (host: string, port: number) => isNamedHost(rules, host, port);
  return { network: { isNamed, throughProxy: async (url) => (await import("./network.ts")).proxied(loaded, url) } };
}

const namesOf = (tools: readonly { readonly name: string }[] = []) => tools.map(({ name }) => name);

async function builtInNames(): Promise<ReadonlySet<string>> {
  const { commands } = await import("../commands/index.ts");
  return new Set(commands.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
}

import type { RunOptions } from "../config/arguments.ts";
import type { Layer } from "../config/layers.ts";
import { type LoadedSettings, type LoadOptions, loadSettings } from "../config/load.ts";
import { exitCode, UserError } from "../contracts/errors.ts";
import { findLocalServers, type LocalServer } from "../providers/local-servers.ts";
import { ownVendors } from "../providers/own-vendors.ts";
import { vendorNamed, vendorOfModel, vendors } from "../providers/vendors.ts";
import { type ResolvedModel, resolveModel } from "./resolve-model.ts";

export type KeylessStart = {
  readonly run: Pick<RunOptions, "prompt" | "orDemo">;
  readonly loaded: LoadedSettings;
  readonly sources: LoadOptions;
  readonly isOneShot: boolean;
  /** Can somebody be asked? */
  readonly hasTerminal: boolean;
};

/** As if the program had been started with these options. */
export type LocalModel = { readonly resolved: ResolvedModel; readonly options: Layer };

/**
 * There is no key: a model on this machine may do. It is offered where somebody can be asked, and named in the error where not. Undefined: the
 * demo is to run. Throws UserError 41.
 */
export async function modelWithoutKey(start: KeylessStart): Promise<LocalModel | undefined> {
  const { run, isOneShot, hasTerminal } = start;
  const wantsDemo = run.orDemo && !isOneShot;
  if (wantsDemo && !hasTerminal) return undefined;
  const servers = mayLook(start) ? await findLocalServers() : [];
  if (!isOneShot && !wantsDemo && hasTerminal && mayLook(start)) return firstModel(servers, start);
  const picked = servers.length > 0 && !isOneShot && hasTerminal ? await pickModel(servers, wantsDemo) : undefined;
  if (picked) return localModel(picked, start);
  if (wantsDemo) return undefined;
  throw new UserError(exitCode.auth, noKeyText(start, servers));
}

/** The person is there and has nothing yet: everything is explained and offered. */
async function firstModel(servers: readonly LocalServer[], start: KeylessStart): Promise<LocalModel | undefined> {
  const { firstRun } = await import("./first-run.ts");
  const chosen = await firstRun(servers, start.loaded.stateFolder);
  if (chosen.type === "demo") return undefined;
  const model = chosen.type === "model" ? localModel(chosen, start) : undefined;
  if (model === undefined) throw new UserError(exitCode.auth, noKeyText(start, servers));
  return model;
}

/** Only for who has no key at all and has not said where to go. */
function mayLook({ loaded, sources }: KeylessStart): boolean {
  const { provider, baseUrl, apiKey } = loaded.settings;
  return (
    vendorWithKey(sources) === undefined && apiKey === undefined && provider === undefined && baseUrl === undefined
  );
}

/** Whose key is there, though not that of the chosen model. */
function vendorWithKey({ environment }: Pick<LoadOptions, "environment">) {
  for (const { name, keyVariables } of vendors) {
    const variable = keyVariables.find((each) => environment[each]);
    if (variable !== undefined) return { vendor: name, variable };
  }
  return undefined;
}

type Picked = { readonly vendor: string; readonly model: string | undefined; readonly apiKey?: string };

async function pickModel(servers: readonly LocalServer[], wantsDemo: boolean): Promise<Picked | undefined> {
  const { pickRow } = await import("../ui/ask-person.ts");
  const offers = servers.flatMap(({ vendor, models }) => models.map((model) => ({ vendor, model })));
  const at = await pickRow(
    `No API key, but these models are on this machine. Use which?${wantsDemo ? " None: the offline demo." : ""}`,
    offers.map(({ vendor, model }) => `${model}  (${vendor})`),
  );
  return at === undefined ? undefined : offers[at];
}

function localModel({ vendor, model, apiKey }: Picked, { sources }: KeylessStart): LocalModel | undefined {
  const origin = { layer: "option", name: "your choice" } as const;
  const options = new Map(sources.options).set("provider", { value: vendor, origin });
  if (model !== undefined) options.set("model", { value: model, origin });
  if (apiKey !== undefined) options.set("apiKey", { value: apiKey, origin });
  const resolved = resolveModel(loadSettings({ ...sources, options }), { ...sources, options });
  return resolved && { resolved, options };
}

/** What is missing, and the line to type instead. */
export function noKeyText(
  start: Pick<KeylessStart, "run" | "loaded" | "isOneShot"> & Partial<Pick<KeylessStart, "sources">>,
  servers: readonly LocalServer[],
): string {
  const missing = missingKey(start.loaded);
  const [first] = servers;
  const other = start.sources && vendorWithKey(start.sources);
  if (first === undefined && other !== undefined)
    return `${missing}\n${other.variable} is set: name a model of ${other.vendor} with -m ${other.vendor}/NAME; \`corecoder models ${other.vendor}\` lists them.`;
  if (first === undefined)
    return `${missing}\nNo key at hand? A local model: corecoder --provider ollama -m NAME. Or see it work offline: corecoder demo.`;
  const wanted = start.loaded.settings.model;
  const server = servers.find(({ models }) => wanted !== undefined && models.includes(wanted)) ?? first;
  const model = wanted !== undefined && server.models.includes(wanted) ? wanted : (server.models[0] as string);
  const { prompt } = start.run;
  const asked = start.isOneShot ? ` -p ${prompt === undefined ? "…" : shortPrompt(prompt)}` : "";
  const others = servers
    .flatMap(({ vendor, models }) => models.map((name) => `${vendor}/${name}`))
    .filter((name) => name !== `${server.vendor}/${model}`);
  const also =
    others.length === 0 ? "" : ` (also here: ${others.slice(0, 4).join(", ")}${others.length > 4 ? ", …" : ""})`;
  return `${missing}\n${server.vendor} runs on this machine: corecoder --provider ${server.vendor} -m ${shellWord(model)}${asked}${also}`;
}

/** Those of the chosen vendor, when one was chosen. */
function missingKey({ settings }: Pick<LoadedSettings, "settings">): string {
  const { provider, model, providers } = settings;
  const own = ownVendors(providers);
  const vendor = provider ? vendorNamed(provider, own) : model ? vendorOfModel(model, own)?.vendor : undefined;
  const usual = ["CORECODER_API_KEY", "OPENAI_API_KEY", "DEEPSEEK_API_KEY"];
  const variables = vendor?.keyVariables ?? [];
  return vendor === undefined || variables.some((name) => usual.includes(name))
    ? `No API key. Set ${usual.join(", ")} or the vendor's own variable (ANTHROPIC_API_KEY, GEMINI_API_KEY, …), or use --api-key.`
    : `No API key for ${vendor.name}. Set ${variables.join(" or ")} or CORECODER_API_KEY, or use --api-key.`;
}

const longestPrompt = 60;

function shortPrompt(prompt: string): string {
  return prompt.length <= longestPrompt && /^[\p{L}\p{N}\p{P}\p{S} ]+$/u.test(prompt) ? shellWord(prompt) : "…";
}

function shellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

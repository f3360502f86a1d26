import { exitCode, messageOf, UserError } from "../contracts/errors.ts";
import { readUnlessMissing, replacePrivateFile } from "../platform/private-files.ts";
import type { LocalServer } from "../providers/local-servers.ts";
import type { Vendor } from "../providers/vendor.ts";
import { vendors } from "../providers/vendors.ts";
import { askText, chooseKey, pickRow } from "../ui/ask-person.ts";

/** How a person without a key goes on. */
export type FirstChoice =
  | { readonly type: "model"; readonly vendor: string; readonly model: string | undefined; readonly apiKey?: string }
  | { readonly type: "demo" }
  | { readonly type: "leave" };

const words = `corecoder works with a language model, and there is no key for one yet. You can
  use a model on this machine, where one runs (Ollama, LM Studio, llama.cpp, vLLM),
  paste a key of a vendor (or set its variable, such as OPENAI_API_KEY or ANTHROPIC_API_KEY, and start again),
  or watch the offline demo first: nothing is sent anywhere.
  What you pick holds for this session; you are asked whether to keep it.
`;

/** Vendors that a key alone opens. */
const offered = vendors.filter(
  ({ needsKey, needsAddress, name }) => needsKey && !needsAddress && name !== "openai-responses",
);

/** Explains, and lets the person pick. */
export async function firstRun(servers: readonly LocalServer[], stateFolder: string): Promise<FirstChoice> {
  process.stderr.write(words);
  const local = servers.flatMap(({ vendor, models }) => models.map((model) => ({ vendor, model })));
  const rows = [
    ...local.map(({ vendor, model }) => `${model}  on this machine (${vendor})`),
    "demo  the whole loop offline, played from a script",
    ...offered.map(({ name, keyVariables }) => `${name}  with a key (${keyVariables[0]})`),
  ];
  const at = await pickRow("How do you want to go on?", rows);
  if (at === undefined) return { type: "leave" };
  if (at === local.length) return { type: "demo" };
  const here = local[at];
  const vendor = offered[at - local.length - 1];
  const choice = here ?? (vendor && (await withKey(vendor)));
  if (choice === undefined) return { type: "leave" };
  await offerToKeep(choice, stateFolder);
  return { type: "model", ...choice };
}

type Choice = { readonly vendor: string; readonly model: string | undefined; readonly apiKey?: string };

async function withKey(vendor: Vendor): Promise<Choice | undefined> {
  const apiKey = (await askText(`Key for ${vendor.name}`, "secret")).trim();
  if (apiKey === "") return undefined;
  const model = vendor.defaultModel ?? (await pickModel(vendor));
  return { vendor: vendor.name, model, apiKey };
}

async function pickModel({ name }: Vendor): Promise<string | undefined> {
  const { modelsTable } = await import("../providers/models-table.ts");
  const { rows } = await modelsTable("");
  const names = rows.filter(({ vendor }) => vendor === name).map(({ model }) => model);
  if (names.length === 0) return (await askText(`Model of ${name}`, "open")).trim() || undefined;
  const at = await pickRow(`Which model of ${name}?`, names);
  return at === undefined ? undefined : names[at];
}

/** Kept in the person's own settings, which nobody else can read. */
async function offerToKeep({ vendor, model, apiKey }: Choice, stateFolder: string): Promise<void> {
  const path = `${stateFolder}/settings.json`;
  const what = apiKey === undefined ? "this choice" : "this choice and the key";
  if ((await chooseKey(`Keep ${what} in ${path}? y yes  n no (default) `, "yn", "n")) !== "y") return;
  try {
    const before = JSON.parse(readUnlessMissing(path) ?? "{}") as Record<string, unknown>;
    const kept = { provider: vendor, ...(model ? { model } : {}), ...(apiKey ? { apiKey } : {}) };
    replacePrivateFile(path, `${JSON.stringify({ ...before, ...kept }, null, 2)}\n`);
    process.stderr.write(`Kept in ${path}, for your eyes alone. Edit or remove it there.\n`);
  } catch (error) {
    throw new UserError(
      exitCode.config,
      `${path} cannot be written: ${messageOf(error)}. Mend it, or set CORECODER_HOME.`,
    );
  }
}

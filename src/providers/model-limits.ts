import type { ModelPrice } from "../contracts/model-settings.ts";
import type { ModelChoice } from "./choose-vendor.ts";
import { familyRows, type LimitsRow } from "./model-families.ts";
import { limitsRows } from "./model-limits-data.ts";

/** What a model can take and do, as far as it is known. */
export type ModelLimits = {
  readonly windowTokens: number;
  readonly outputTokens: number;
  readonly images: boolean;
  readonly thinking: boolean;
  readonly tools: boolean;
  /** Above this prompt size every token of a call costs more. */
  readonly dearerAboveTokens?: number;
  /** As it was when the snapshot was taken; bills come from the price list. */
  readonly price?: ModelPrice;
};

const allRows: readonly LimitsRow[] = [...limitsRows, ...familyRows];

/** By the longest prefix that is known, however a gateway spells the name: `anthropic/claude-opus-4.6`, `models/gemini-3-pro`, `qwen3:8b`. */
export function limitsOf(model: string): ModelLimits | undefined {
  // asked for every request
  if (found?.model !== model) found = { model, limits: lookUp(model) };
  return found.limits;
}

let found: { readonly model: string; readonly limits: ModelLimits | undefined } | undefined;

function lookUp(model: string): ModelLimits | undefined {
  const name = plainName(model);
  let best: LimitsRow | undefined;
  for (const row of allRows) {
    const prefix = plainName(row[0]);
    if (name.startsWith(prefix) && isWordEnd(name, prefix.length) && prefix.length > (best?.[0].length ?? 0))
      best = row;
  }
  return best && read(best);
}

/** What is known of a model, and of that first what the person says. Undefined when nobody knows anything. */
export function knownLimits({
  model,
  settings,
}: Pick<ModelChoice, "model" | "settings">): Partial<ModelLimits> | undefined {
  const limits = limitsOf(model);
  if (settings === undefined) return limits;
  const { window, output, price: _price, ...abilities } = settings;
  return {
    ...limits,
    ...(window === undefined ? {} : { windowTokens: window }),
    ...(output === undefined ? {} : { outputTokens: output }),
    ...abilities,
  };
}

/** What a prompt may hold: as the person says, of the model, of the vendor's usual models, or unknown. A local server decides for itself how much of a model's window it uses. */
export function windowOf({ vendor, model, settings }: ModelChoice): number | undefined {
  return settings?.window ?? (vendor.needsKey ? limitsOf(model)?.windowTokens : undefined) ?? vendor.windowTokens;
}

/**
 * Does it make sense to ask? Of servers that are known to tell, where the person has not said it and nobody here knows it. An address given
 * without saying what stands there gets the requests it was meant for and no others.
 */
export function canAskWindow({ vendor, model, settings }: ModelChoice): boolean {
  if (settings?.window !== undefined) return false;
  return vendor.tellsWindow === true && (!vendor.needsKey || limitsOf(model) === undefined);
}

function plainName(model: string): string {
  const own = model.toLowerCase().split("/").at(-1) ?? "";
  return own.replace(/[:@].*$/, "").replaceAll(".", "-");
}

/** `gpt-4o` is no `gpt-4`, `glm-5v` no `glm-5`; `o3` is the beginning of `o3-2025-04-16`. */
function isWordEnd(name: string, at: number): boolean {
  const next = name[at];
  return next === undefined || next === "-";
}

function read([, windowTokens, outputTokens, abilities, dearerAboveTokens = 0, price = []]: LimitsRow): ModelLimits {
  return {
    windowTokens,
    outputTokens,
    images: abilities.includes("i"),
    thinking: abilities.includes("r"),
    tools: abilities.includes("t"),
    ...(dearerAboveTokens === 0 ? {} : { dearerAboveTokens }),
    ...(price.length === 0 ? {} : { price: priceOf(price) }),
  };
}

function priceOf([input = 0, output = 0, cacheRead, cacheWrite]: readonly number[]): ModelPrice {
  return {
    input,
    output,
    ...(cacheRead === undefined ? {} : { cacheRead }),
    ...(cacheWrite === undefined ? {} : { cacheWrite }),
  };
}

import type { ModelChoice } from "./choose-vendor.ts";
import { type LimitsRow, limitsRows } from "./model-limits-data.ts";

/** What a model can take and do, as far as it is known. */
export type ModelLimits = {
  readonly windowTokens: number;
  readonly outputTokens: number;
  readonly images: boolean;
  readonly thinking: boolean;
  readonly tools: boolean;
  /** Above this prompt size every token of a call costs more. */
  readonly dearerAboveTokens?: number;
};

/** By the longest prefix that is known, however a gateway spells the name: `anthropic/claude-opus-4.6`, `models/gemini-3-pro`, `qwen3:8b`. */
export function limitsOf(model: string): ModelLimits | undefined {
  const name = plainName(model);
  let best: LimitsRow | undefined;
  for (const row of limitsRows) {
    const prefix = plainName(row[0]);
    if (name.startsWith(prefix) && isWordEnd(name, prefix.length) && prefix.length > (best?.[0].length ?? 0))
      best = row;
  }
  return best && read(best);
}

/** What a prompt may hold: of the model, of the vendor's usual models, or unknown. A local server decides for itself how much of a model's window it uses. */
export function windowOf({ vendor, model }: ModelChoice): number | undefined {
  return (vendor.needsKey ? limitsOf(model)?.windowTokens : undefined) ?? vendor.windowTokens;
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

function read([, windowTokens, outputTokens, abilities, dearerAboveTokens]: LimitsRow): ModelLimits {
  return {
    windowTokens,
    outputTokens,
    images: abilities.includes("i"),
    thinking: abilities.includes("r"),
    tools: abilities.includes("t"),
    ...(dearerAboveTokens === undefined ? {} : { dearerAboveTokens }),
  };
}

import type { ModelAnswer, ModelRequest } from "../contracts/provider.ts";
import type { EncodeOptions, Refusals } from "./protocol.ts";

/** How long the answer may be, in tokens; undefined: as the endpoint likes. What the person set is never exceeded. */
export function answerLimit(
  { maxTokens }: ModelRequest,
  { refusals, outputLimit }: Pick<EncodeOptions, "refusals" | "outputLimit">,
): number | undefined {
  return maxTokens ?? (isRaised({ maxTokens }, refusals) ? outputLimit : undefined);
}

/** The model's own limit goes along, since the endpoint's default has cut an answer short. */
export function isRaised(
  { maxTokens }: { readonly maxTokens?: number | undefined },
  { lowDefault, outputLimit }: Refusals,
): boolean {
  return maxTokens === undefined && lowDefault === true && !outputLimit;
}

/** True when an answer was cut at a limit that nobody asked for, and the model could have written more. */
export function isWorthRaising(request: ModelRequest, options: EncodeOptions, answer: ModelAnswer): boolean {
  const { refusals, outputLimit } = options;
  if (answer.stopReason !== "length" || outputLimit === undefined || request.maxTokens !== undefined) return false;
  return !refusals.lowDefault && (answer.usage?.outputTokens ?? 0) < outputLimit * 0.95;
}

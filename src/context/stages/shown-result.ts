import type { ToolResultPart } from "../../contracts/message.ts";
import type { StageContext } from "../stage.ts";
import type { ResultEntry } from "../transcript.ts";

type Seen = Pick<StageContext, "view" | "transcript">;

/** A result as the model sees it now: shortened, archived or as it came; undefined when it is folded away. */
export function shownResult({ view, transcript }: Seen, { part, entry }: ResultEntry): ToolResultPart | undefined {
  if (entry.index <= view.foldedThrough) return undefined;
  const { parts = [] } = view.items[view.items.length - (transcript.entries.length - entry.index)]?.message ?? {};
  return parts.find((shown): shown is ToolResultPart => shown.type === "tool-result" && shown.callId === part.callId);
}

const sizes = new WeakMap<ToolResultPart, number>();

/** Its tokens. A message may hold the results of several calls. */
export function shownTokens(context: Seen & Pick<StageContext, "estimate">, result: ResultEntry): number {
  if (result.entry.message.parts.length === 1) return context.view.tokensAt(result.entry.index);
  const shown = shownResult(context, result);
  if (shown === undefined) return 0;
  if (shown === result.part) return result.tokens;
  const size = sizes.get(shown) ?? context.estimate(shown.text);
  sizes.set(shown, size);
  return size;
}

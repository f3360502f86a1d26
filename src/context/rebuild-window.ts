import type { ContextEdit, PriceRow, WindowContents } from "../contracts/context.ts";
import type { Message } from "../contracts/message.ts";
import { createContextEngine } from "./engine.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import type { Policy } from "./policies.ts";
import { createTokenMeter } from "./token-meter.ts";
import { createTranscript } from "./transcript.ts";
import { createView } from "./view.ts";
import { windowContents } from "./window-contents.ts";

/** A step of a saved session: a message, or edits of the view. */
export type LoggedStep =
  | { readonly type: "message"; readonly message: Message }
  | { readonly type: "edits"; readonly edits: readonly ContextEdit[] };

export type RebuildOptions = {
  readonly steps: readonly LoggedStep[];
  /** System prompt and tools, as text. */
  readonly prefix: string;
  readonly policy: Policy;
  readonly windowTokens: number;
  readonly prices?: PriceRow;
};

/** What filled the window when a saved session ended: its messages and edits again, in their order. */
export function rebuildWindow({ steps, prefix, policy, windowTokens, prices }: RebuildOptions): WindowContents {
  const transcript = createTranscript(estimateTokens);
  const view = createView(transcript, estimateTokens);
  const meter = createTokenMeter();
  const fixedTokens = estimateTokens(prefix);
  for (const step of steps) {
    if (step.type === "edits") {
      view.apply(step.edits);
      continue;
    }
    const { usage } = step.message;
    if (usage) meter.observe(view.tokens + fixedTokens, usage.inputTokens);
    transcript.add(step.message);
    view.extend();
  }
  const engine = createContextEngine({
    policy,
    windowTokens,
    fixedTokens,
    now: () => 0,
    summarise: () => Promise.reject(new Error("nothing is summarised while looking")),
    ...(prices ? { prices } : {}),
  });
  return {
    parts: windowContents({ items: view.items, fixedTokens, scaled: meter.scaled }),
    windowTokens,
    foldAtTokens: engine.contents().foldAtTokens,
  };
}

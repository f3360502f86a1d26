import type { ContextStep, PriceRow, WindowContents } from "../contracts/context.ts";
import { createContextEngine } from "./engine.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import type { Policy } from "./policies.ts";

export type RebuildOptions = {
  readonly steps: readonly ContextStep[];
  /** System prompt and tools, as text. */
  readonly prefix: string;
  readonly policy: Policy;
  readonly windowTokens: number;
  readonly prices?: PriceRow;
};

/** What filled the window when a saved session ended. */
export function rebuildWindow({ steps, prefix, policy, windowTokens, prices }: RebuildOptions): WindowContents {
  const engine = createContextEngine({
    policy,
    windowTokens,
    fixedTokens: estimateTokens(prefix),
    now: () => 0,
    summarise: () => Promise.reject(new Error("nothing is summarised while looking")),
    ...(prices ? { prices } : {}),
  });
  engine.restore(steps);
  return engine.contents();
}

import type { createApp } from "../app.ts";
import type { TurnTotals } from "../contracts/event.ts";
import { addUsage, emptyUsage, type Usage } from "../contracts/message.ts";
import type { PriceOf } from "../contracts/provider.ts";
import { createPriceOf } from "../providers/prices.ts";
import type { CostFigures, KindCost, ModelCost } from "../ui/rendering/cost-chart.ts";
import type { ModeContext } from "./mode-context.ts";

type App = ReturnType<typeof createApp>;

/** What /cost draws. */
export async function costFigures(
  { agent, vendorOf }: App,
  turns: readonly TurnTotals[],
  { resolved }: ModeContext,
): Promise<CostFigures> {
  const models = await agent.spentByModel();
  const priceOf = createPriceOf(vendorOf, resolved.loaded.settings.models);
  return { models, kinds: await costByKind(models, priceOf), turns };
}

/** What was read anew, read from the cache, written to it, and written by the model. */
const kinds: readonly { readonly kind: string; readonly part: (usage: Usage) => Usage }[] = [
  {
    kind: "input",
    part: ({ inputTokens, cacheReadTokens, cacheWriteTokens }) => ({
      ...emptyUsage,
      inputTokens: Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens),
    }),
  },
  {
    kind: "cache read",
    part: ({ cacheReadTokens }) => ({ ...emptyUsage, inputTokens: cacheReadTokens, cacheReadTokens }),
  },
  {
    kind: "cache write",
    part: ({ cacheWriteTokens }) => ({ ...emptyUsage, inputTokens: cacheWriteTokens, cacheWriteTokens }),
  },
  { kind: "output", part: ({ outputTokens }) => ({ ...emptyUsage, outputTokens }) },
];

/** A call's price may depend on its size, so the shares of each model are stretched to what it really cost. */
async function costByKind(models: readonly ModelCost[], priceOf: PriceOf): Promise<KindCost[]> {
  const sums = kinds.map(() => 0);
  for (const { model, usage, costUsd } of models) {
    const prices = await Promise.all(kinds.map(async ({ part }) => (await priceOf(model, part(usage))) ?? 0));
    const sum = prices.reduce((total, price) => total + price, 0);
    for (const [at, price] of prices.entries())
      if (sum > 0) sums[at] = (sums[at] ?? 0) + (price / sum) * (costUsd ?? 0);
  }
  const used = models.reduce((sum, { usage }) => addUsage(sum, usage), emptyUsage);
  const isKnown = models.every(({ costUsd }) => costUsd !== null);
  return kinds.map(({ kind, part }, at) => {
    const { inputTokens, outputTokens } = part(used);
    return { kind, tokens: inputTokens + outputTokens, costUsd: isKnown ? (sums[at] ?? 0) : null };
  });
}

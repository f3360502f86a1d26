import { addUsage, emptyUsage, type Usage } from "../contracts/message.ts";
import type { PriceOf } from "../contracts/provider.ts";

/** What model calls used and cost. Prices are looked up when the sum is asked for, since most runs never ask. */
export type Spending = {
  /** `undefined`: the endpoint did not say, so the sum is not known either. */
  add(model: string, usage: Usage | undefined): void;
  readonly usage: Usage;
  readonly calls: number;
  /** In USD; null as soon as one call's price is unknown. */
  costUsd(): Promise<number | null>;
};

export function createSpending(priceOf: PriceOf | undefined): Spending {
  let usage = emptyUsage;
  let calls = 0;
  let priced = 0;
  let unknown = false;
  let waiting: { model: string; usage: Usage }[] = [];
  return {
    add(model, used) {
      calls++;
      if (used === undefined) {
        unknown = true;
        return;
      }
      usage = addUsage(usage, used);
      if (priceOf) waiting.push({ model, usage: used });
    },
    get usage() {
      return usage;
    },
    get calls() {
      return calls;
    },
    async costUsd() {
      if (priceOf === undefined) return null;
      const batch = waiting;
      waiting = [];
      for (const call of batch) {
        const price = await priceOf(call.model, call.usage);
        if (price === undefined) unknown = true;
        else priced += price;
      }
      return unknown ? null : priced;
    },
  };
}

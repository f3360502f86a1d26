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
  /** The same for each model, in the order of their first calls. */
  byModel(): Promise<readonly ModelSpending[]>;
};

export type ModelSpending = {
  readonly model: string;
  readonly calls: number;
  readonly usage: Usage;
  readonly costUsd: number | null;
};

export function createSpending(priceOf: PriceOf | undefined): Spending {
  let usage = emptyUsage;
  let calls = 0;
  let priced = 0;
  let unknown = false;
  let waiting: { model: string; usage: Usage }[] = [];
  const models = new Map<string, { calls: number; usage: Usage; priced: number; isUnknown: boolean }>();
  const rowOf = (model: string) => {
    const row = models.get(model) ?? { calls: 0, usage: emptyUsage, priced: 0, isUnknown: false };
    models.set(model, row);
    return row;
  };
  return {
    add(model, used) {
      calls++;
      const row = rowOf(model);
      row.calls++;
      if (used === undefined) {
        unknown = true;
        row.isUnknown = true;
        return;
      }
      usage = addUsage(usage, used);
      row.usage = addUsage(row.usage, used);
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
        const row = rowOf(call.model);
        if (price === undefined) {
          unknown = true;
          row.isUnknown = true;
        } else {
          priced += price;
          row.priced += price;
        }
      }
      return unknown ? null : priced;
    },
    async byModel() {
      await this.costUsd();
      return [...models].map(([model, row]) => ({
        model,
        calls: row.calls,
        usage: row.usage,
        costUsd: priceOf === undefined || row.isUnknown ? null : row.priced,
      }));
    },
  };
}

import { exitCode, ProviderError, UserError } from "../contracts/errors.ts";
import type { Usage } from "../contracts/message.ts";
import type { PriceOf } from "../contracts/provider.ts";
import { createSpending } from "./spending.ts";

/** A call that is about to be made, and the most it can take; undefined where that is not known. */
export type PlannedCall = {
  readonly model: string;
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
};

/** Of a call that runs. One of the two is called, once. */
export type Ticket = {
  settle(usage: Usage | undefined): void;
  /** The call failed: what it may have cost nobody says, so the most it can have cost is counted when something arrived. */
  fail(arrived: "something" | "nothing"): void;
};

/**
 * Money that an agent and its sub-agents spend together. A call begins when the most it can cost fits beside what is spent and what the running
 * calls can cost, or when it is the only one: so the limit is overrun by one call at most, however many agents there are.
 */
export type Purse = {
  readonly limitUsd: number;
  /** Waits for room. Throws PurseEmpty when the money is gone, UserError when a price is not known. */
  enter(call: PlannedCall, signal: AbortSignal): Promise<Ticket>;
};

/** The money is gone; the prompt ends with the outcome "budget". */
export class PurseEmpty extends Error {
  override readonly name = "PurseEmpty";
  constructor(readonly limitUsd: number) {
    super(`the budget of $${limitUsd} is spent`);
  }
}

export type PurseOptions = {
  readonly limitUsd: number;
  readonly priceOf: PriceOf | undefined;
  /** Calls that were paid before. */
  readonly spent?: readonly { readonly model: string; readonly usage: Usage | undefined }[];
};

export function createPurse({ limitUsd, priceOf, spent = [] }: PurseOptions): Purse {
  const spending = createSpending(priceOf);
  for (const { model, usage } of spent) spending.add(model, usage);
  let guessedUsd = 0;
  /** The most that each running call can cost. */
  const running = new Set<{ readonly usd: number }>();
  let wake = () => {};
  let queue: Promise<unknown> = Promise.resolve();

  async function spentUsd(model: string): Promise<number> {
    const cost = await spending.costUsd();
    if (cost === null && spending.calls > 0)
      throw new UserError(
        exitCode.config,
        `The price of ${model} is not known, so --max-budget-usd cannot be kept. Leave the limit out, or choose a model from \`corecoder models\`.`,
      );
    return (cost ?? 0) + guessedUsd;
  }

  async function mostUsd({ model, inputTokens, outputTokens }: PlannedCall): Promise<number> {
    if (inputTokens === undefined || outputTokens === undefined) return Number.POSITIVE_INFINITY;
    const dearest = { inputTokens, outputTokens, cacheReadTokens: 0, cacheWriteTokens: inputTokens };
    const usd = (await priceOf?.(model, dearest)) ?? (await priceOf?.(model, { ...dearest, cacheWriteTokens: 0 }));
    return usd ?? Number.POSITIVE_INFINITY;
  }

  function ticketFor(model: string, mostPossibleUsd: number): Ticket {
    const reserved = { usd: mostPossibleUsd };
    running.add(reserved);
    const leave = () => {
      running.delete(reserved);
      wake();
    };
    return {
      settle(usage) {
        spending.add(model, usage);
        leave();
      },
      fail(arrived) {
        if (arrived === "something" && Number.isFinite(mostPossibleUsd)) guessedUsd += mostPossibleUsd;
        leave();
      },
    };
  }

  async function waitForRoom(call: PlannedCall, signal: AbortSignal): Promise<Ticket> {
    const most = await mostUsd(call);
    for (;;) {
      if (signal.aborted) throw new ProviderError("aborted", "interrupted");
      const paid = await spentUsd(call.model);
      if (paid >= limitUsd) throw new PurseEmpty(limitUsd);
      const possible = [...running].reduce((sum, { usd }) => sum + usd, paid + most);
      if (running.size === 0 || possible <= limitUsd) return ticketFor(call.model, most);
      await new Promise<void>((resolve) => {
        wake = () => {
          signal.removeEventListener("abort", wake);
          resolve();
        };
        signal.addEventListener("abort", wake);
      });
    }
  }

  return {
    limitUsd,
    enter(call, signal) {
      // one after the other: what one finds free, no other takes meanwhile
      const entered = queue.then(() => waitForRoom(call, signal));
      queue = entered.catch(() => {});
      return entered;
    },
  };
}

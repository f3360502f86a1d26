import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { emptyUsage, type Usage } from "../contracts/message.ts";
import { createPurse, PurseEmpty } from "./purse.ts";

/** A dollar a thousand tokens, whichever they are. */
const priceOf = async (_model: string, { inputTokens, outputTokens }: Usage) => (inputTokens + outputTokens) / 1_000;
const used = (tokens: number): Usage => ({ ...emptyUsage, inputTokens: tokens });
const planned = (tokens: number) => ({ model: "m", inputTokens: tokens, outputTokens: 0 });
const never = new AbortController().signal;
/** Everything that can go on without anybody's doing has gone on. */
const rest = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("a purse", () => {
  it("lets calls run side by side while the most they can cost fits", async () => {
    const purse = createPurse({ limitUsd: 10, priceOf });
    const first = await purse.enter(planned(4_000), never);
    const second = await purse.enter(planned(4_000), never);
    let third = false;
    const waiting = purse.enter(planned(4_000), never).then(() => (third = true));
    await rest();
    expect(third).toBe(false);
    first.settle(used(1_000));
    await waiting;
    expect(third).toBe(true);
    second.settle(used(1_000));
  });

  it("lets a call that may be too dear run alone, and is empty once the limit is reached", async () => {
    const purse = createPurse({ limitUsd: 1, priceOf });
    const alone = await purse.enter({ ...planned(5_000), outputTokens: undefined }, never);
    const after = purse.enter(planned(1), never);
    alone.settle(used(1_500));
    await expect(after).rejects.toThrow(PurseEmpty);
  });

  it("counts what was paid before, and the most that a broken call can have cost", async () => {
    const spent = [{ model: "m", usage: used(500) }];
    const purse = createPurse({ limitUsd: 1, priceOf, spent });
    (await purse.enter(planned(100), never)).fail("nothing");
    (await purse.enter(planned(600), never)).fail("something");
    await expect(purse.enter(planned(1), never)).rejects.toThrow(PurseEmpty);
  });

  it("says that a limit cannot be kept for a model without a price", async () => {
    const purse = createPurse({ limitUsd: 1, priceOf: async () => undefined });
    (await purse.enter(planned(1), never)).settle(used(1));
    await expect(purse.enter(planned(1), never)).rejects.toThrow(/price of m is not known/);
  });

  it("lets go of who waits when they are interrupted, and the next one takes the place", async () => {
    const purse = createPurse({ limitUsd: 1, priceOf });
    const first = await purse.enter(planned(900), never);
    const stop = new AbortController();
    const second = purse.enter(planned(900), stop.signal);
    const third = purse.enter(planned(900), never);
    await rest();
    stop.abort();
    await expect(second).rejects.toMatchObject({ code: "aborted" });
    first.settle(used(10));
    (await third).settle(used(10));
  });

  it("is never overrun by more than one call, whoever calls beside whom", async () => {
    const call = fc.record({
      most: fc.integer({ min: 1, max: 2_000 }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(call, { maxLength: 6 }), { maxLength: 6 }), async (agents) => {
        const limitUsd = 3;
        const purse = createPurse({ limitUsd, priceOf });
        let paid = 0;
        let dearest = 0;
        await Promise.all(
          agents.map(async (calls) => {
            for (const { most, share } of calls) {
              const ticket = await purse.enter(planned(most), never).catch(() => undefined);
              if (ticket === undefined) return;
              await rest();
              const tokens = Math.floor(most * share);
              paid += tokens / 1_000;
              dearest = Math.max(dearest, tokens / 1_000);
              ticket.settle(used(tokens));
            }
          }),
        );
        expect(paid).toBeLessThanOrEqual(limitUsd + dearest);
      }),
      { numRuns: 30 },
    );
  });
});

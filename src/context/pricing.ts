import type { PriceRow } from "../contracts/context.ts";

/** When a model's price is not known: ratios that hold for most vendors. */
export const typicalPrices: PriceRow = { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 1.25, cacheMs: 300_000 };

/** How much more rent than a cut costs before it is made; costs are flat between 0.5 and 5. */
const patience = 1.5;

/** Cache reads so cheap that a summary for an absent person never pays. */
export const cheapRead = 0.03;

/** "archive": old results leave. "fold": the conversation becomes a note. */
export type Move = "archive" | "fold";

/**
 * When to cut. Carrying text that could go costs its tokens at the read price on every call: rent. A cut costs writing anew what follows it,
 * once. Nobody knows how many calls are left, so a cut is made when the rent paid for what it would free has reached its price.
 *
 * That alone can be wrong by the price of a cut, in a session that ends right after it. So the books are kept as well: what this session has
 * cost, and what it would have cost with everything kept. A cut must not lift the first above (1 + regret) × the second. Between cuts a view
 * is never larger than the whole, so no call adds more to the first than to the second: the bound holds at the end of every session,
 * wherever that is. Only what the window or a price tier forces may break it, and what has to be fetched again is not in it.
 *
 * All amounts are in input tokens: a token read from the cache counts `cacheRead`, one written to it `cacheWrite`.
 */
export type Rent = {
  /** A call goes out: what it costs as it is, and what it would cost with everything kept. `entries`: messages of the history it covers. */
  book(call: { readonly own: number; readonly whole: number; readonly fresh: number; readonly entries: number }): void;
  /** Messages of the history that are in the books. */
  readonly booked: number;
  /** Tokens of the view that the call in the books carries for the first time. */
  readonly fresh: number;
  /** Another call carries these tokens, which the move would free. */
  carry(move: Move, tokens: number): void;
  /** Has the rent reached the price, and is the session good for it? */
  isDue(move: Move, price: number): boolean;
  /** Is the session good for it, whatever the rent? */
  affords(price: number): boolean;
  /** Would the session still cost no more than with everything kept? */
  canSpare(price: number): boolean;
  spend(price: number): void;
  /** The move was made. Folding settles the rent of archiving too. */
  made(move: Move, price: number): void;
  /** Was a move made for the call in the books? Then what the vendor has cached is not what it is about to get. */
  readonly hasMoved: boolean;
  /** What a fold would cost at this call; archiving must not cost more. */
  foldPrice: number;
  reset(): void;
  /** All there is to know, as numbers; set when a conversation is taken up again. */
  state: readonly number[];
};

/**
 * What a session may cost at most beyond keeping everything, as a share. Where reads are cheap a cut saves little and takes long to pay for
 * itself, so less is risked for it.
 */
export function regretAt({ cacheRead }: PriceRow): number {
  return cacheRead < typicalPrices.cacheRead ? 0.02 : 0.07;
}

export function createRent(prices: PriceRow): Rent {
  const regret = regretAt(prices);
  let paid = { archive: 0, fold: 0 };
  let own = 0;
  let whole = 0;
  let booked = 0;
  let fresh = 0;
  let hasMoved = false;
  const affords = (price: number) => own + price <= (1 + regret) * whole;
  return {
    book(call) {
      own += call.own;
      whole += call.whole;
      fresh = call.fresh;
      booked = call.entries;
      hasMoved = false;
    },
    get booked() {
      return booked;
    },
    get fresh() {
      return fresh;
    },
    carry: (move, tokens) => void (paid[move] += prices.cacheRead * Math.max(tokens, 0)),
    isDue: (move, price) => paid[move] > 0 && paid[move] >= patience * price && affords(price),
    affords,
    canSpare: (price) => own + price <= whole,
    spend: (price) => void (own += price),
    made(move, price) {
      own += price;
      hasMoved = true;
      paid = { archive: 0, fold: move === "fold" ? 0 : Math.max(paid.fold - paid.archive, 0) };
    },
    get hasMoved() {
      return hasMoved;
    },
    foldPrice: Number.POSITIVE_INFINITY,
    reset: () => void (paid.archive = 0),
    get state() {
      return [paid.archive, paid.fold, own, whole, booked];
    },
    set state([archive = 0, fold = 0, ownCost = 0, wholeCost = 0, entries = 0]: readonly number[]) {
      paid = { archive, fold };
      own = ownCost;
      whole = wholeCost;
      booked = entries;
    },
  };
}

/** Sending again, as new, what the vendor had cached. */
export function rewritePrice({ cacheRead, cacheWrite }: PriceRow, tokens: number): number {
  return Math.max(cacheWrite - cacheRead, 0) * Math.max(tokens, 0);
}

/** Of a summary as models write them, and of the words that ask for one. */
export const summaryTokens = 3_500;
const instructionTokens = 400;

/** A summary asked for at the end of the live conversation, all of which is cached but the newest tokens. */
export function summaryPrice(prices: PriceRow, tokens: number, fresh = 0): number {
  const { cacheRead, cacheWrite } = prices;
  return cacheRead * (tokens - fresh) + cacheWrite * (instructionTokens + fresh) + summaryTokens * outputFactor(prices);
}

/** What a token of output costs, in tokens of input. */
export function outputFactor({ input, output }: PriceRow): number {
  return input > 0 ? output / input : 0;
}

/** Time left for a summary before the vendor forgets the prefix. */
const idleLeadMs = 45_000;

/** A person who has said nothing for so long may stay away until the vendor has forgotten the conversation. */
export function idleAfterMs(cacheMs: number): number {
  return Math.max(cacheMs - idleLeadMs, 10_000);
}

export type CallTokens = { readonly cached: number; readonly fresh: number; readonly output: number };

/** One call in USD. */
export function callCost({ cached, fresh, output }: CallTokens, prices: PriceRow): number {
  const inTier = prices.tierAt !== undefined && cached + fresh > prices.tierAt;
  const factor = inTier ? (prices.tierFactor ?? 1) : 1;
  return (
    (factor *
      (cached * prices.input * prices.cacheRead + fresh * prices.input * prices.cacheWrite + output * prices.output)) /
    1e6
  );
}

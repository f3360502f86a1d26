import type { SeriesPoint } from "../contracts/comparison.ts";
import type { PriceRow } from "../contracts/context.ts";
import type { Message } from "../contracts/message.ts";
import { createContextEngine } from "./engine.ts";
import type { Policy } from "./policies.ts";
import { callCost, idleAfterMs, summaryTokens } from "./pricing.ts";
import { cutOf, windowShares } from "./replay-series.ts";
import { createFinder, isFromResultsOnly, type Reach, searchText, type Use } from "./replay-uses.ts";

/** A recorded message with the time it was written. */
export type TimedMessage = { readonly message: Message; readonly time: number };

export type ReplayOptions = {
  readonly messages: readonly TimedMessage[];
  readonly policy: Policy;
  readonly prices: PriceRow;
  readonly windowTokens: number;
  readonly fixedTokens: number;
  /** From usesOf: the same for every policy. */
  readonly uses: ReadonlyMap<Message, readonly Use[]>;
  readonly onMissing?: (use: Use, call: number) => void;
};

export type ReplayResult = {
  readonly calls: number;
  readonly costUsd: number;
  readonly readTokens: number;
  readonly writtenTokens: number;
  /** Of the written: text that had been sent before, so that only a cut or a cold cache made it dear again. */
  readonly rewrittenTokens: number;
  readonly summaries: number;
  readonly batches: number;
  readonly meanTokens: number;
  readonly peakTokens: number;
  readonly uses: number;
  readonly direct: number;
  readonly oneCall: number;
  readonly lost: number;
  readonly editLines: number;
  readonly editLinesDirect: number;
  readonly refetchUsd: number;
  /** Uses in the calls right after a cut, where forgetting shows first. */
  readonly afterCut: { readonly uses: number; readonly direct: number };
  /** Calls a vendor with this window would have refused. */
  readonly callsOverWindow: number;
  /** The window over time, one point a call. */
  readonly series: readonly SeriesPoint[];
};

const estimate = (text: string) => text.length / 3;
const instructionTokens = 400;
const refetchLimit = 6_000;
const refetchedAge = 16;
/** Calls that count as right after a cut. */
const afterCutCalls = 20;

/** Plays a recorded session through the engine, call by call, and adds up what it would have cost and what would have been missing. */
export async function replay({
  messages,
  policy,
  prices,
  windowTokens,
  fixedTokens,
  uses,
  onMissing,
}: ReplayOptions): Promise<ReplayResult> {
  let time = 0;
  let sent: readonly Message[] = [];
  let sentAt = Number.NEGATIVE_INFINITY;
  const total = {
    calls: 0,
    cost: 0,
    read: 0,
    written: 0,
    rewritten: 0,
    summaries: 0,
    batches: 0,
    sum: 0,
    peak: 0,
    uses: 0,
    direct: 0,
    oneCall: 0,
    lost: 0,
    lines: 0,
    linesDirect: 0,
    overWindow: 0,
    usesAfterCut: 0,
    directAfterCut: 0,
  };
  const series: SeriesPoint[] = [];
  const sentIds = new Set<string>();
  let lastCut = Number.NEGATIVE_INFINITY;
  const history = messages.map(({ message }) => message);
  const recorded = new Set(history.map(({ id }) => id));
  let refetchUsd = 0;
  const fetchedAgain = new Map<number, { call: number; tokens: number }>();
  const finder = createFinder(history, {
    recall: policy.recall ? (query) => engine.recall({ query }).text : undefined,
  });
  const sizes = new WeakMap<Message, number>();
  const sizeOf = (message: Message) => {
    let size = sizes.get(message);
    if (size === undefined) sizes.set(message, (size = wireSize(message)));
    return size;
  };
  const bill = (view: readonly Message[], extra: number, output: number) => {
    const all = fixedTokens + extra + view.reduce((sum, message) => sum + sizeOf(message), 0);
    let cached = 0;
    let same = 0;
    if (time - sentAt <= prices.cacheMs && sent.length > 0) {
      cached = fixedTokens;
      for (; same < view.length && view[same] === sent[same]; same++) cached += sizeOf(view[same] as Message);
    } else if (sent.length > 0) total.rewritten += fixedTokens;
    for (let i = same; i < view.length; i++) {
      const message = view[i] as Message;
      if (sentIds.has(message.id)) total.rewritten += sizeOf(message);
    }
    total.cost += callCost({ cached, fresh: all - cached, output }, prices);
    total.read += cached;
    total.written += all - cached;
    return all;
  };
  const engine = createContextEngine({
    policy,
    prices,
    windowTokens,
    fixedTokens,
    estimate,
    now: () => time,
    summarise: async ({ view, instruction }) => {
      total.summaries++;
      if (view.length === 0) {
        // a prompt of its own: nothing of it is cached
        total.cost += callCost({ cached: 0, fresh: instruction.length / 3, output: summaryTokens }, prices);
        return { text: instruction.slice(-summaryTokens * 2), usage: undefined };
      }
      bill(view, instructionTokens, summaryTokens);
      return { text: extract(view), usage: undefined };
    },
  });
  const signal = new AbortController().signal;
  const idleMs = idleAfterMs(prices.cacheMs);
  /** The person is away: what is written for their return is paid, whether they come back too late, in time, or never. */
  const leaveAlone = async () => {
    time = sentAt + idleMs;
    await engine.prepareForIdle(signal);
  };
  for (const { message, time: at } of messages) {
    // between two prompts, not between a call and its result
    if (message.role === "user" && sent.length > 0 && at - sentAt > idleMs) await leaveAlone();
    if (message.role === "assistant") {
      time = at;
      const { view, receipt } = await engine.fit({ signal });
      if (receipt) {
        total.batches++;
        lastCut = total.calls;
        for (const [index, { call }] of fetchedAgain) if (total.calls - call > refetchedAge) fetchedAgain.delete(index);
      }
      const all = bill(view, 0, wireSize(message));
      for (const { tokens } of fetchedAgain.values())
        total.cost += callCost({ cached: tokens, fresh: 0, output: 0 }, prices);
      for (let i = sent.length; i < view.length; i++) sentIds.add((view[i] as Message).id);
      if (receipt) for (const { id } of view) sentIds.add(id);
      sent = [...view];
      sentAt = time;
      total.calls++;
      total.sum += all;
      total.peak = Math.max(total.peak, all);
      if (all > windowTokens) total.overWindow++;
      const reach = finder.in(view);
      for (const use of uses.get(message) ?? []) judge(use, reach(use), all);
      const shares = windowShares({ view, fixedTokens, sizeOf, recorded });
      const cut = receipt ? { cut: cutOf(receipt) } : {};
      series.push({ tokens: all, ...shares, costUsd: total.cost, ...cut });
    }
    engine.add(message);
  }
  await leaveAlone();
  const last = series.pop();
  if (last) series.push({ ...last, costUsd: total.cost });

  function judge(use: Use, reach: Reach, windowNow: number): void {
    total.uses++;
    const isLine = use.kind === "edit-line";
    const isAfterCut = total.calls - lastCut <= afterCutCalls;
    if (isAfterCut) total.usesAfterCut++;
    if (isLine) total.lines++;
    if (reach === "direct" || use.sources.some((index) => fetchedAgain.has(index))) {
      total.direct++;
      if (isAfterCut) total.directAfterCut++;
      if (isLine) total.linesDirect++;
      return;
    }
    if (reach === "one-call") total.oneCall++;
    else total.lost++;
    onMissing?.(use, total.calls);
    if (isFromResultsOnly(use, history)) fetchAgain(use.sources.at(-1) ?? 0, reach, windowNow);
  }

  /** One more call (two when nothing says where to look), and the text is in the view again, for a while. */
  function fetchAgain(index: number, reach: Reach, windowNow: number): void {
    const source = history[index];
    const tokens = Math.min(source ? searchText(source).length / 3 : 0, refetchLimit);
    const calls = reach === "one-call" ? 1 : 2;
    const cost =
      calls * callCost({ cached: windowNow, fresh: 0, output: 60 }, prices) +
      callCost({ cached: 0, fresh: tokens, output: 0 }, prices);
    refetchUsd += cost;
    total.cost += cost;
    fetchedAgain.set(index, { call: total.calls, tokens });
  }

  return {
    calls: total.calls,
    costUsd: total.cost,
    readTokens: total.read,
    writtenTokens: total.written,
    rewrittenTokens: total.rewritten,
    summaries: total.summaries,
    batches: total.batches,
    meanTokens: total.sum / Math.max(total.calls, 1),
    peakTokens: total.peak,
    uses: total.uses,
    direct: total.direct,
    oneCall: total.oneCall,
    lost: total.lost,
    editLines: total.lines,
    editLinesDirect: total.linesDirect,
    refetchUsd,
    afterCut: { uses: total.usesAfterCut, direct: total.directAfterCut },
    callsOverWindow: total.overWindow,
    series,
  };
}

function wireSize(message: Message): number {
  let characters = 0;
  for (const part of message.parts) {
    if (part.type === "text" || part.type === "tool-result") characters += part.text.length;
    else if (part.type === "tool-call") characters += part.rawInput.length + part.tool.length;
  }
  return characters / 3;
}

/** A stand-in for a model's summary: the beginning of what the agent said, newest last, cut to size. */
function extract(view: readonly Message[]): string {
  const said = view
    .filter((message) => message.role === "assistant")
    .flatMap((message) => message.parts.flatMap((part) => (part.type === "text" ? [part.text.slice(0, 200)] : [])));
  return said.join("\n").slice(-summaryTokens * 3);
}

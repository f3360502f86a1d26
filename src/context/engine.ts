import type {
  CompactionTrigger,
  ContextEdit,
  ContextEngine,
  Fit,
  FitOptions,
  PriceRow,
  Receipt,
  Summarise,
  WindowContents,
} from "../contracts/context.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import { extractSummary } from "./extract-summary.ts";
import type { Policy } from "./policies.ts";
import { callCost, createRent, typicalPrices } from "./pricing.ts";
import { recall } from "./recall.ts";
import type { StageContext } from "./stage.ts";
import { archive } from "./stages/archive.ts";
import { shape } from "./stages/shape.ts";
import { foldEdit, foldPoint, type SummariseParameters } from "./stages/summarise.ts";
import { createSummariser } from "./summariser.ts";
import { createTokenMeter } from "./token-meter.ts";
import { createTranscript, type Estimate } from "./transcript.ts";
import { createView } from "./view.ts";

export type EngineOptions = {
  readonly policy: Policy;
  readonly windowTokens: number;
  /** "assumed": nobody said how large it is, so a request that seems too large is still tried. */
  readonly windowIs?: "known" | "assumed";
  /** Tokens of system prompt and tools, which are in every request. */
  readonly fixedTokens: number;
  readonly summarise: Summarise;
  readonly now: () => number;
  /** Left out: ratios that hold for most vendors. */
  readonly prices?: PriceRow;
  readonly estimate?: Estimate;
};

/** At this share of the window everything that can go goes. */
const collapseShare = 0.9;
/** Calls over which a receipt counts what a batch saves. */
const savingHorizon = 20;

function inThousands(tokens: number): string {
  return tokens < 10_000 ? `${(tokens / 1000).toFixed(1)}k` : `${Math.round(tokens / 1000)}k`;
}

/** Keeps a conversation inside its window at the lowest price. Work for a fit is proportional to what is new, except for a batch of edits. */
export function createContextEngine(options: EngineOptions): ContextEngine {
  const { policy, fixedTokens, now, windowTokens, prices = typicalPrices } = options;
  const estimate = options.estimate ?? estimateTokens;
  const transcript = createTranscript(estimate);
  const view = createView(transcript, estimate);
  const meter = createTokenMeter();
  const rent = createRent(prices);
  const summariser = createSummariser(options.summarise, estimate);
  const aged: StageContext["aged"] = { next: 0, due: new Map(), ready: [], archived: new Set(), lastCall: 0 };
  const recalledAt = new Map<string, number>();
  let lastCallAt: number | undefined;
  let shaped = 0;
  let estimatedAtSend = 0;

  const tokens = () => meter.scaled(view.tokens + fixedTokens);
  const foldAt = policy.summarise ? foldThreshold(policy.summarise) : Number.POSITIVE_INFINITY;

  function foldThreshold({ atTokens, atShare }: SummariseParameters): number {
    return Math.min(atTokens, atShare * windowTokens, 0.97 * (prices.tierAt ?? Number.POSITIVE_INFINITY));
  }

  function stageContext(): StageContext {
    return {
      transcript,
      view,
      prices,
      rent,
      tokens: tokens(),
      windowTokens,
      isCold: lastCallAt !== undefined && now() - lastCallAt > prices.cacheMs,
      isTight: tokens() >= foldAt,
      aged,
      recalledAt,
    };
  }

  /** Small windows keep a small tail: never more than a fifth of what there is. */
  function scaledTo(parameters: SummariseParameters, tailTokens: number): SummariseParameters {
    const share = (most: number, part: number) => Math.min(most, Math.floor(windowTokens * part));
    return {
      ...parameters,
      tailTokens: share(tailTokens, 0.2),
      userTokens: share(parameters.userTokens, 0.15),
      proseTokens: share(parameters.proseTokens, 0.08),
      indexTokens: share(parameters.indexTokens, 0.05),
    };
  }

  async function fold(
    parameters: SummariseParameters,
    { signal, focus }: FitOptions,
  ): Promise<ContextEdit | undefined> {
    const through = foldPoint({ transcript, view }, parameters.tailTokens);
    if (through === undefined) return undefined;
    const limitTokens = Math.min(8_000, Math.floor(view.tokens / 2));
    const summary =
      (await summariser({ view: view.messages, focus, limitTokens, signal })) ?? extractSummary(transcript, through);
    return foldEdit({ transcript }, { through, summary, limits: parameters, estimate });
  }

  /** The batch under way: edits are applied as they are proposed, so that each stage sees what the one before left. */
  function startBatch(trigger: CompactionTrigger) {
    const before = tokens();
    const edits: ContextEdit[] = [];
    const stages: string[] = [];
    return {
      propose(stage: string, proposed: readonly ContextEdit[] | undefined) {
        if (!proposed || proposed.length === 0) return;
        view.apply(proposed);
        edits.push(...proposed);
        if (!stages.includes(stage)) stages.push(stage);
      },
      finish: () => ({ edits, receipt: stages.length === 0 ? undefined : receipt({ trigger, stages, edits, before }) }),
      get isEmpty() {
        return stages.length === 0;
      },
    };
  }

  function receipt(batch: {
    trigger: CompactionTrigger;
    stages: readonly string[];
    edits: readonly ContextEdit[];
    before: number;
  }): Receipt {
    const after = tokens();
    const archived = batch.edits.flatMap((edit) => (edit.type === "replace" ? [edit.callId] : []));
    const handles = transcript.results
      .filter(({ part }) => archived.includes(part.callId))
      .map(({ part }) => part.handle);
    const lastFold = batch.edits.findLast((edit) => edit.type === "fold");
    return {
      trigger: batch.trigger,
      stages: batch.stages,
      tokensBefore: batch.before,
      tokensAfter: after,
      archived: handles,
      folded: lastFold ? (transcript.byId(lastFold.through)?.index ?? -1) + 1 : 0,
      appended: [],
      spentUsd:
        callCost({ cached: 0, fresh: after, output: 0 }, prices) -
        callCost({ cached: after, fresh: 0, output: 0 }, prices),
      savesUsd: savingHorizon * callCost({ cached: Math.max(batch.before - after, 0), fresh: 0, output: 0 }, prices),
    };
  }

  function contents(): WindowContents {
    const sizes = new Map([["system prompt and tools", fixedTokens]]);
    const add = (name: string, size: number) => sizes.set(name, (sizes.get(name) ?? 0) + size);
    for (const { message, tokens: size } of view.items) {
      const result = message.parts.find((part) => part.type === "tool-result");
      if (message.synthetic) add("summary", size);
      else if (result) add(`results of ${result.tool}`, size);
      else add(message.role === "user" ? "your messages" : "the agent's messages", size);
    }
    const parts = [...sizes]
      .map(([name, size]) => ({ name, tokens: meter.scaled(size) }))
      .toSorted((a, b) => b.tokens - a.tokens);
    return { parts, windowTokens, foldAtTokens: Math.min(foldAt, collapseShare * windowTokens) };
  }

  function whatFillsTheWindow(): string {
    const parts = contents().parts.map(({ name, tokens: size }) => `${name} ${inThousands(size)}`);
    return `${parts.join(", ")} of ${inThousands(windowTokens)}`;
  }

  async function collapse(batch: ReturnType<typeof startBatch>, fit: FitOptions): Promise<void> {
    if (!policy.archive || !policy.summarise) return;
    batch.propose(
      "collapse",
      archive({ ...stageContext(), isCold: true, isTight: true }, { ...policy.archive, tailTokens: 0, coldTokens: 0 }),
    );
    if (fit.force !== "collapse" && tokens() < collapseShare * windowTokens) return;
    const edit = await fold(scaledTo(policy.summarise, 4_000), fit);
    batch.propose("collapse", edit && [edit]);
    if (tokens() < collapseShare * windowTokens) return;
    const spine = await fold({ ...scaledTo(policy.summarise, 0), tailTokens: 0, proseTokens: 0, userTokens: 0 }, fit);
    batch.propose("collapse", spine && [spine]);
  }

  return {
    add(message) {
      transcript.add(message);
      view.extend();
    },
    observe({ inputTokens }) {
      meter.observe(estimatedAtSend, inputTokens);
    },
    async fit(fit) {
      const batch = startBatch(fit.force === "collapse" ? "reactive" : fit.force === "summarise" ? "manual" : "auto");
      const fresh = transcript.results.slice(shaped);
      shaped = transcript.results.length;
      const shapes = policy.shape ? shape({ fresh, parameters: policy.shape, estimate }) : [];
      view.apply(shapes);
      const { isCold } = stageContext();
      if (policy.idle && policy.summarise && isCold && tokens() > policy.idle.atTokens) {
        const edit = await fold(scaledTo(policy.summarise, policy.summarise.tailTokens), fit);
        batch.propose("idle", edit && [edit]);
      }
      if (policy.archive) batch.propose("archive", archive(stageContext(), policy.archive));
      if (policy.summarise && (fit.force === "summarise" || tokens() >= foldAt)) {
        const edit = await fold(scaledTo(policy.summarise, policy.summarise.tailTokens), fit);
        batch.propose("summarise", edit && [edit]);
      }
      if (fit.force === "collapse" || tokens() >= collapseShare * windowTokens) await collapse(batch, fit);
      if (!batch.isEmpty) rent.reset();
      lastCallAt = now();
      estimatedAtSend = view.tokens + fixedTokens;
      const { edits, receipt: done } = batch.finish();
      const isHopeless = tokens() > windowTokens && (options.windowIs === "known" || fit.force === "collapse");
      const floor = isHopeless ? whatFillsTheWindow() : undefined;
      const result: Fit = { view: view.messages, edits: [...shapes, ...edits], receipt: done, floor };
      return result;
    },
    recall(request) {
      if (request.id !== undefined) recalledAt.set(`#${request.id.trim().replace(/^#+/, "")}`, transcript.calls);
      return recall(transcript, request, estimate);
    },
    contents,
    get view() {
      return view.messages;
    },
    get tokens() {
      return tokens();
    },
  };
}

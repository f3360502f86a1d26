import type {
  CompactionTrigger,
  ContextEdit,
  ContextEngine,
  ContextStep,
  Fit,
  FitOptions,
  PriceRow,
  Receipt,
  Summarise,
  WindowContents,
} from "../contracts/context.ts";
import { type Message, toolCallsOf } from "../contracts/message.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import { pathsOnlyInLedger, spineOf } from "./fold-note.ts";
import { breachIn } from "./invariants.ts";
import type { Policy } from "./policies.ts";
import { callCost, cheapRead, createRent, summaryPrice, typicalPrices } from "./pricing.ts";
import { recall } from "./recall.ts";
import type { Stage, StageContext } from "./stage.ts";
import { quietStages, type StageName, stages } from "./stages/index.ts";
import { foldThreshold } from "./stages/summarise.ts";
import { createSummariser } from "./summariser.ts";
import { createTokenMeter } from "./token-meter.ts";
import { createTranscript, type Estimate } from "./transcript.ts";
import { createView } from "./view.ts";
import { windowContents } from "./window-contents.ts";

export type EngineOptions = {
  readonly policy: Policy;
  readonly windowTokens: number;
  /** What the endpoint has said of its window since; looked at before every request. */
  readonly learnedWindow?: () => number | undefined;
  /** "assumed": nobody said how large it is, so a request that seems too large is still tried. */
  readonly windowIs?: "known" | "assumed";
  /** Tokens of system prompt and tools, which are in every request. */
  readonly fixedTokens: number;
  readonly summarise: Summarise;
  /** Lines that survive every fold, such as open tasks. */
  readonly pinned?: () => readonly string[];
  /** The whole of a result that was too long for the conversation, by its handle. */
  readonly wholeText?: (handle: string) => string | undefined;
  readonly now: () => number;
  /** Left out: ratios that hold for most vendors. */
  readonly prices?: PriceRow;
  readonly estimate?: Estimate;
};

/** The tool through which the model recalls: a resumed conversation knows by its calls what was asked for. */
const recallTool = "recall";

/** Calls over which a receipt counts what a batch saves. */
const savingHorizon = 20;

/** Keeps a conversation inside its window at the lowest price. Work for a fit is proportional to what is new, except for a batch of edits. */
export function createContextEngine(options: EngineOptions): ContextEngine {
  const { policy, fixedTokens, now, prices = typicalPrices } = options;
  let { windowTokens } = options;
  const estimate = options.estimate ?? estimateTokens;
  const transcript = createTranscript(estimate);
  const view = createView(transcript, estimate);
  const meter = createTokenMeter();
  const rent = createRent(prices);
  const summariser = createSummariser(options.summarise, estimate);
  const aged: StageContext["aged"] = { next: 0, due: new Map(), ready: [], archived: new Set(), lastCall: 0 };
  const recalledAt = new Map<string, number>();
  let lastCallAt: number | undefined;
  let firstFresh = 0;
  let estimatedAtSend = 0;
  let fittedEntries = 0;
  let prepared: string | undefined;
  /** Edits that are applied but not yet handed out: an interruption in the middle of a fit must not lose them. */
  let untold: { edits: ContextEdit[]; acted: StageName[] } = { edits: [], acted: [] };

  const tokens = () => meter.scaled(view.tokens + fixedTokens);
  const idleStep = policy.steps.find((step) => step.stage === "idle");
  const summariseStep = policy.steps.find((step) => step.stage === "summarise");
  const foldAt = () => (summariseStep ? foldThreshold({ windowTokens, prices }, summariseStep) : windowTokens);

  function stageContext(fit: FitOptions): StageContext {
    return {
      transcript,
      view,
      prices,
      rent,
      estimate,
      tokens: tokens(),
      scaled: meter.scaled,
      windowTokens,
      isCold: lastCallAt !== undefined && now() - lastCallAt > prices.cacheMs,
      isTight: tokens() >= foldAt(),
      foldAtTokens: foldAt(),
      fit,
      firstFresh,
      aged,
      recalledAt,
      pinned: options.pinned ?? (() => []),
      preparedSummary: prepared,
      // a view that was refused as too long would be refused again with an instruction behind it
      summarise: async ({ prompt, limitTokens }) =>
        fit.force === "collapse"
          ? undefined
          : summariser({ view: view.messages, prompt, focus: fit.focus, limitTokens, signal: fit.signal }),
    };
  }

  /** Edits are applied as they are proposed, so that each stage sees what the one before left. */
  async function runSteps(fit: FitOptions): Promise<void> {
    for (const step of policy.steps) {
      const proposed = await (stages[step.stage] as Stage<typeof step>)(stageContext(fit), step);
      if (!proposed || proposed.length === 0) continue;
      // a history that came in broken is not the stage's fault
      const wasSound = breachIn(view.messages, untouchable()) === undefined;
      const undo = view.savepoint();
      view.apply(proposed);
      if (wasSound && breachIn(view.messages, untouchable()) !== undefined) {
        // an unsound proposal costs the stage its turn, never the session
        undo();
        continue;
      }
      markArchived(proposed);
      untold.edits.push(...proposed);
      if (!quietStages.has(step.stage)) untold.acted.push(step.stage);
    }
  }

  function markArchived(edits: readonly ContextEdit[]): void {
    for (const edit of edits) if (edit.type === "replace" && edit.archived) aged.archived.add(edit.callId);
  }

  /** The first and the latest request. */
  function untouchable(): Message[] {
    const { first, latest } = spineOf(transcript);
    return [first, latest].filter((message) => message !== undefined);
  }

  type Batch = {
    readonly trigger: CompactionTrigger;
    readonly acted: readonly StageName[];
    readonly edits: readonly ContextEdit[];
    readonly before: number;
  };

  function receiptFor({ trigger, acted, edits, before }: Batch): Receipt {
    const after = tokens();
    const replaced = new Set(edits.flatMap((edit) => (edit.type === "replace" ? [edit.callId] : [])));
    const lastFold = edits.findLast((edit) => edit.type === "fold");
    return {
      trigger,
      stages: [...new Set(acted)],
      tokensBefore: before,
      tokensAfter: after,
      archived: transcript.results.filter(({ part }) => replaced.has(part.callId)).map(({ part }) => part.handle),
      folded: lastFold ? (transcript.byId(lastFold.through)?.index ?? -1) + 1 : 0,
      appended: lastFold
        ? pathsOnlyInLedger(lastFold.notes[0]?.text ?? "", transcript, transcript.byId(lastFold.through)?.index ?? -1)
        : [],
      spentUsd:
        callCost({ cached: 0, fresh: after, output: 0 }, prices) -
        callCost({ cached: after, fresh: 0, output: 0 }, prices),
      savesUsd: savingHorizon * callCost({ cached: Math.max(before - after, 0), fresh: 0, output: 0 }, prices),
    };
  }

  const contents = (): WindowContents => ({
    parts: windowContents({ items: view.items, fixedTokens, scaled: meter.scaled }),
    windowTokens,
    foldAtTokens: Math.round(foldAt()),
  });

  function add(message: Message): void {
    transcript.add(message);
    view.extend();
  }

  /** A request goes out: what is in the view now has been seen. */
  function markSent(at: number): void {
    lastCallAt = at;
    firstFresh = transcript.results.length;
    fittedEntries = transcript.entries.length;
    estimatedAtSend = view.tokens + fixedTokens;
    prepared = undefined;
  }

  function noteRecall(id: string): void {
    recalledAt.set(`#${id.trim().replace(/^#+/, "")}`, transcript.calls);
  }

  function restoreStep(step: ContextStep): void {
    switch (step.type) {
      case "message": {
        add(step.message);
        if (step.message.usage) meter.observe(estimatedAtSend, step.message.usage.inputTokens);
        for (const { tool, input } of toolCallsOf(step.message))
          if (tool === recallTool && typeof input?.id === "string") noteRecall(input.id);
        break;
      }
      case "edits":
        view.apply(step.edits);
        markArchived(step.edits);
        break;
      case "request":
        rent.state = step.rent;
        markSent(step.time);
        break;
      case "summary":
        rent.spend(summaryPrice(prices, tokens()));
        prepared = step.text;
    }
  }

  return {
    add,
    restore(steps) {
      for (const step of steps) restoreStep(step);
    },
    observe({ inputTokens }) {
      meter.observe(estimatedAtSend, inputTokens);
    },
    async fit(fit) {
      const before = tokens();
      windowTokens = options.learnedWindow?.() ?? windowTokens;
      // what a vendor says about its own limit is better than what was assumed
      windowTokens = Math.min(windowTokens, fit.limitTokens ?? windowTokens);
      // nothing new, nothing asked: the view is as good as it was
      if (transcript.entries.length > fittedEntries || fit.force !== undefined) await runSteps(fit);
      const { edits, acted } = untold;
      untold = { edits: [], acted: [] };
      if (acted.length > 0) rent.reset();
      markSent(now());
      const isHopeless =
        tokens() > windowTokens && (options.windowIs === "known" || (fit.force === "collapse" && acted.length === 0));
      const result: Fit = {
        view: view.messages,
        edits,
        rent: rent.state,
        receipt: acted.length === 0 ? undefined : receiptFor({ trigger: triggerOf(fit, acted), acted, edits, before }),
        floor: isHopeless ? describeFloor(contents()) : undefined,
      };
      return result;
    },
    async prepareForIdle(signal) {
      // the person may never come back: a summary for their return is paid from what was saved
      const price = summaryPrice(prices, tokens());
      const pays = prices.cacheRead > cheapRead && prices.cacheRead < 1 && rent.canSpare(price);
      if (!pays || idleStep === undefined || prepared !== undefined || tokens() <= idleStep.atTokens) return undefined;
      rent.spend(price);
      prepared = await summariser({
        view: view.messages,
        prompt: undefined,
        focus: undefined,
        limitTokens: 8_000,
        signal,
      });
      return prepared;
    },
    recall(request) {
      if (request.id !== undefined) noteRecall(request.id);
      return recall({ transcript, estimate, wholeText: options.wholeText }, request);
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

function triggerOf({ force }: FitOptions, acted: readonly StageName[]): CompactionTrigger {
  if (force === "collapse") return "reactive";
  if (force === "summarise") return "manual";
  return acted[0] === "idle" ? "idle" : "auto";
}

function describeFloor({ parts, windowTokens }: WindowContents): string {
  const thousands = (tokens: number) =>
    tokens < 10_000 ? `${(tokens / 1000).toFixed(1)}k` : `${Math.round(tokens / 1000)}k`;
  return `${parts.map(({ name, tokens }) => `${name} ${thousands(tokens)}`).join(", ")} of ${thousands(windowTokens)}`;
}

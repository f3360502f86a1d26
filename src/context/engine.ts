import type {
  ContextEdit,
  ContextEngine,
  Fit,
  FitOptions,
  PriceRow,
  Receipt,
  Summarise,
} from "../contracts/context.ts";
import type { Usage } from "../contracts/message.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import type { Policy } from "./policies.ts";
import { callCost, createRent, typicalPrices } from "./pricing.ts";
import type { StageContext } from "./stage.ts";
import { archive } from "./stages/archive.ts";
import { foldEdit, foldPoint } from "./stages/summarise.ts";
import { summaryInstruction } from "./summary-instruction.ts";
import { createTranscript, type Estimate } from "./transcript.ts";
import { createView } from "./view.ts";

export type EngineOptions = {
  readonly policy: Policy;
  /** Left out: ratios that hold for most vendors. */
  readonly prices?: PriceRow;
  readonly windowTokens: number;
  /** Tokens of system prompt and tools, which are in every request. */
  readonly fixedTokens: number;
  readonly summarise: Summarise;
  readonly now: () => number;
  readonly estimate?: Estimate;
};

/** Keeps a conversation inside its window at the lowest price. Work for a fit is proportional to what is new, except for a batch of edits. */
export function createContextEngine(options: EngineOptions): ContextEngine {
  const { policy, fixedTokens, now, prices = typicalPrices } = options;
  const estimate = options.estimate ?? estimateTokens;
  const transcript = createTranscript(estimate);
  const view = createView(transcript, estimate);
  const rent = createRent(prices);
  const aged: StageContext["aged"] = { next: 0, due: new Map(), ready: [], lastCall: 0 };
  const recalledAt = new Map<string, number>();
  let lastCallAt: number | undefined;

  const tokens = () => view.tokens + fixedTokens;
  const summariseAt = policy.summarise
    ? Math.min(
        policy.summarise.atTokens,
        policy.summarise.atShare * options.windowTokens,
        (prices.tierAt ?? Number.POSITIVE_INFINITY) * 0.97,
      )
    : Number.POSITIVE_INFINITY;

  function stageContext(): StageContext {
    return {
      transcript,
      view,
      prices,
      rent,
      tokens: tokens(),
      windowTokens: options.windowTokens,
      isCold: lastCallAt !== undefined && now() - lastCallAt > prices.cacheMs,
      isTight: tokens() >= summariseAt,
      aged,
      recalledAt,
    };
  }

  async function fold(signal: AbortSignal, focus: string | undefined): Promise<ContextEdit | undefined> {
    const parameters = policy.summarise;
    if (parameters === undefined) return undefined;
    const through = foldPoint({ transcript, view }, parameters.tailTokens);
    if (through === undefined) return undefined;
    const { text } = await options.summarise({ view: view.messages, instruction: summaryInstruction(focus), signal });
    return foldEdit({ transcript }, { through, summary: text, limits: parameters, estimate });
  }

  return {
    add(message) {
      transcript.add(message);
      view.extend();
    },
    observe(_usage: Usage) {},
    async fit({ signal, force, focus }: FitOptions): Promise<Fit> {
      const before = tokens();
      const edits: ContextEdit[] = [];
      const stages: string[] = [];
      const propose = (stage: string, proposed: readonly ContextEdit[] | undefined) => {
        if (!proposed || proposed.length === 0) return;
        view.apply(proposed);
        edits.push(...proposed);
        stages.push(stage);
      };
      if (policy.idle && stageContext().isCold && tokens() > policy.idle.atTokens) {
        const edit = await fold(signal, focus);
        propose("idle", edit && [edit]);
      }
      if (policy.archive) propose("archive", archive(stageContext(), policy.archive));
      if (force === "summarise" || tokens() >= summariseAt) {
        const edit = await fold(signal, focus);
        propose("summarise", edit && [edit]);
      }
      if (stages.length > 0) rent.reset();
      lastCallAt = now();
      return { view: view.messages, edits, receipt: stages.length === 0 ? undefined : receipt(stages, before) };
    },
    get view() {
      return view.messages;
    },
    get tokens() {
      return tokens();
    },
  };

  function receipt(stages: readonly string[], tokensBefore: number): Receipt {
    const tokensAfter = tokens();
    const saved = callCost({ cached: tokensBefore - tokensAfter, fresh: 0, output: 0 }, prices) * 20;
    return {
      trigger: "auto",
      stages,
      tokensBefore,
      tokensAfter,
      archived: [],
      folded: 0,
      appended: [],
      spentUsd: 0,
      savesUsd: saved,
    };
  }
}

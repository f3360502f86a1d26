/** What fills a window: tokens by who wrote them. */
export type WindowShares = {
  readonly system: number;
  readonly user: number;
  readonly agent: number;
  readonly results: number;
  readonly summary: number;
};

/** One model call of a replayed session. */
export type SeriesPoint = WindowShares & {
  /** All of the window. */
  readonly tokens: number;
  /** Spent so far, this call included. */
  readonly costUsd: number;
  /** Set when the view was cut before this call. */
  readonly cut?: {
    readonly stages: readonly string[];
    readonly before: number;
    readonly after: number;
    /** Messages gave way to a summary, of a model or by code. */
    readonly isSummary: boolean;
  };
};

/** What one policy would have made of a session. Shares are of 1; undefined where there was nothing to count. */
export type PolicyReport = {
  readonly policy: string;
  readonly calls: number;
  readonly costUsd: number;
  /** 1: as dear as keeping everything. */
  readonly costVsNone: number;
  readonly refetchUsd: number;
  readonly cacheReadShare: number;
  readonly rewrittenTokens: number;
  readonly summaries: number;
  readonly batches: number;
  readonly meanTokens: number;
  readonly peakTokens: number;
  readonly callsOverWindow: number;
  readonly direct: number | undefined;
  readonly oneCall: number | undefined;
  readonly lost: number | undefined;
  readonly editLinesDirect: number | undefined;
  readonly directAfterCut: number | undefined;
  readonly counts: UseCounts;
  readonly series: readonly SeriesPoint[];
};

/** What the shares are made of, so that sessions can be added up. */
export type UseCounts = {
  readonly uses: number;
  readonly direct: number;
  readonly oneCall: number;
  readonly lost: number;
  readonly editLines: number;
  readonly editLinesDirect: number;
  readonly afterCut: number;
  readonly afterCutDirect: number;
  readonly readTokens: number;
  readonly writtenTokens: number;
};

export type PolicyTotal = Omit<PolicyReport, "series" | "counts"> & {
  readonly sessions: number;
  /** Of the sessions' own ratios: no single large one decides it. */
  readonly medianCostVsNone: number;
};

/** One session under every policy, for readers. */
export type ComparedSession = {
  readonly name: string;
  readonly model: string | undefined;
  readonly damagedLines: number;
  readonly fixedTokens: number;
  readonly reports: readonly PolicyReport[];
};

export type Comparison = {
  readonly prices: string;
  readonly windowTokens: number;
  readonly sessions: readonly ComparedSession[];
  /** Only of more than one session. */
  readonly totals?: readonly PolicyTotal[];
};

import type { Message, Usage } from "./message.ts";

/**
 * A piece of data that changes what the model is sent. Edits are appended to the log like messages; the history itself never changes, so
 * dropping all edits gives the whole conversation back, and replaying them gives the same view byte for byte.
 */
export type ContextEdit =
  /** One tool result is shown as another text: shaped, or archived behind a one-line placeholder. */
  | {
      readonly type: "replace";
      readonly messageId: string;
      readonly callId: string;
      readonly text: string;
      /** Images of the result stay; otherwise they go with its text. */
      readonly keepImages?: true;
      /** The result has done its work and does not come up for archiving again. */
      readonly archived?: true;
    }
  /** Everything through one message becomes notes; some messages of that span stay as they are, before or after the notes. */
  | {
      readonly type: "fold";
      readonly through: string;
      readonly keepBefore: readonly string[];
      readonly notes: readonly FoldNote[];
      readonly keepAfter: readonly string[];
    };

export type FoldNote = { readonly role: "user" | "assistant"; readonly text: string };

/** USD per million tokens; reading and writing the cache as multiples of the input price. */
export type PriceRow = {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** How long the vendor keeps a prefix. */
  readonly cacheMs: number;
  /** Above this prompt size the whole call costs `tierFactor` as much. */
  readonly tierAt?: number;
  readonly tierFactor?: number;
};

export type CompactionTrigger = "auto" | "manual" | "reactive" | "idle";

/** What a batch of edits did, for the person and the log. */
export type Receipt = {
  readonly trigger: CompactionTrigger;
  readonly stages: readonly string[];
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Handles of the results that left the view. */
  readonly archived: readonly string[];
  /** Messages that were folded into notes. */
  readonly folded: number;
  /** Paths, commands and error lines the summary did not mention and code appended. */
  readonly appended: readonly string[];
  readonly spentUsd: number;
  /** Over the next twenty calls, if nothing is recalled. */
  readonly savesUsd: number;
};

export type SummaryRequest = {
  /** The view as the model last saw it: sent again, unchanged, so that it is read from the cache. */
  readonly view: readonly Message[];
  /** Appended as one more user message. */
  readonly instruction: string;
  readonly signal: AbortSignal;
};

/** Asks a model; throws when there is no usable answer. */
export type Summarise = (
  request: SummaryRequest,
) => Promise<{ readonly text: string; readonly usage: Usage | undefined }>;

export type FitOptions = {
  readonly signal: AbortSignal;
  /** "summarise": the person or the model asked for it. "collapse": the vendor refused the last view as too long. */
  readonly force?: "summarise" | "collapse";
  readonly focus?: string;
  /** With "collapse": the limit the vendor named in its refusal. */
  readonly limitTokens?: number;
};

/** What happened to a conversation, as its log tells it. */
export type ContextStep =
  | { readonly type: "message"; readonly message: Message; readonly time?: number }
  | {
      readonly type: "edits";
      readonly edits: readonly ContextEdit[];
      readonly receipt?: Receipt;
      readonly time?: number;
    }
  /** A view was fitted and sent. */
  | { readonly type: "request"; readonly rent: readonly number[]; readonly time: number }
  /** Written for the case that the person stays away. */
  | { readonly type: "summary"; readonly text: string };

export type Fit = {
  readonly view: readonly Message[];
  readonly edits: readonly ContextEdit[];
  readonly receipt: Receipt | undefined;
  /** What is put by for the next batch; to be logged, so that a resumed conversation decides as this one would have. */
  readonly rent: readonly number[];
  /** Set when nothing is left to remove and the view still does not fit: what fills the window, largest first. */
  readonly floor: string | undefined;
};

/** What left the view is one call away: by its handle, or by words in it. */
export type RecallRequest = {
  readonly id?: string;
  readonly query?: string;
  /** Lines of the text named by `id`: from this one (1 is the first)… */
  readonly offset?: number;
  /** …this many, or only those that match. */
  readonly limit?: number;
  readonly pattern?: string;
};

export type RecallAnswer = { readonly text: string; readonly isFound: boolean };

export type WindowContents = {
  readonly parts: readonly { readonly name: string; readonly tokens: number }[];
  readonly windowTokens: number;
  /** Where the next fold comes. */
  readonly foldAtTokens: number;
};

export interface ContextEngine {
  /** Takes up a conversation where its log ends: views and decisions are those of an engine that was there all the time. */
  restore(steps: readonly ContextStep[]): void;
  /** The history grew. */
  add(message: Message): void;
  /** What the vendor counted for the last view. */
  observe(usage: Usage): void;
  /** The next view. Called once before every model call. */
  fit(options: FitOptions): Promise<Fit>;
  /**
   * The person is away and the vendor will soon forget the prefix: writes a summary while it is still cached, to be used if they come back
   * too late. Undefined when that would not pay.
   */
  prepareForIdle(signal: AbortSignal): Promise<string | undefined>;
  recall(request: RecallRequest): RecallAnswer;
  /** What fills the window, in tokens, largest first, and the window itself. */
  contents(): WindowContents;
  readonly view: readonly Message[];
  /** Tokens of the next request, system and tools included. */
  readonly tokens: number;
}

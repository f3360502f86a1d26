import type { Message, Part, StopReason, ToolCallPart, Usage } from "./message.ts";
import type { JsonSchema } from "./schema.ts";

export type ToolSchema = { readonly name: string; readonly description: string; readonly input: JsonSchema };

/** How hard a model should think; each vendor has its own words for it. "off": not at all, or as little as the model allows. */
export type Effort = "off" | "low" | "medium" | "high" | "max";

/** One request to a model. `messages` between two requests of a conversation is an extension of the one before, by identity of its elements. */
export type ModelRequest = {
  readonly model: string;
  readonly system: string;
  readonly tools: readonly ToolSchema[];
  readonly messages: readonly Message[];
  readonly temperature?: number;
  readonly maxTokens?: number;
  /** Left out: the vendor's default. */
  readonly effort?: Effort;
  /** Requests that share it share a prefix: vendors that spread their caches over machines send them to the same one. */
  readonly sessionId?: string;
};

/** The answer, assembled: what enters the history. */
export type ModelAnswer = {
  readonly parts: readonly Part[];
  readonly stopReason: StopReason;
  /** Undefined when the endpoint reported none. */
  readonly usage: Usage | undefined;
  /** The server is of a kind that cuts long prompts without a word: its count of the prompt tells. */
  readonly mayBeCut?: true;
};

/** What is worth knowing before the answer is complete. */
export type ProviderEvent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  /** A call is complete while the answer still streams. It counts only if the stream ends well: until then only reads may start. */
  | { readonly type: "tool-call"; readonly call: ToolCallPart };

export type StreamOptions = { readonly signal: AbortSignal; readonly onEvent: (event: ProviderEvent) => void };

/**
 * A callback instead of an async iterable: the text of one network packet is one event, and nothing is queued between the socket and
 * the screen. Resolves when the stream ended well; throws ProviderError only.
 */
export interface Provider {
  /** Where requests go, for messages to the person. */
  readonly endpoint: string;
  stream(request: ModelRequest, options: StreamOptions): Promise<ModelAnswer>;
}

/** Money for one call in USD; undefined when the model's price is not known. Never a guess. */
export type PriceOf = (model: string, usage: Usage) => Promise<number | undefined>;

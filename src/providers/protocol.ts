import type { ModelAnswer, ModelRequest, ProviderEvent } from "../contracts/provider.ts";

/** Optional fields an endpoint was found to refuse. Learned from its 400s, remembered per endpoint and model. */
export type Refusals = {
  readonly streamOptions?: true;
  readonly maxTokens?: true;
  readonly temperature?: true;
  readonly reasoning?: true;
  readonly effort?: true;
  /** A summary of the thinking, to be shown. */
  readonly summary?: true;
  /** Tools only without thinking: OpenAI's newer models on Chat Completions. */
  readonly effortWithTools?: true;
  readonly cacheKey?: true;
  readonly images?: true;
  /** No refusal: its own limit has cut an answer short, so the model's is sent. */
  readonly lowDefault?: true;
  /** The model's own limit. */
  readonly outputLimit?: true;
};

/** A piece of a request body. */
export type BodyFields = { readonly [key: string]: unknown };

/** What a wire accepts as the name of a call. */
export type CallIdRule = {
  readonly pattern: RegExp;
  readonly longest: number;
};

export type EncodeOptions = {
  readonly refusals: Refusals;
  /** Send thinking back with the tool calls it led to; "always": with every answer, also where there was none. */
  readonly replayThinking: boolean | "always";
  /** The vendor's own fields for this request: effort, caching. */
  readonly fields?: BodyFields;
  /** The name of the field that takes the session's id. */
  readonly cacheKeyField?: string;
  /** "noted": the model cannot see; a line says that there was an image. */
  readonly images?: "sent" | "noted";
  /** Stricter than the wire itself. */
  readonly callIds?: CallIdRule;
  /** What the model can write at most, for wires that want a limit. */
  readonly outputLimit?: number;
};

/** One wire format: how a request is written and how an answer is read. One file a format. */
export interface Protocol {
  readonly name: string;
  path(request: ModelRequest): string;
  headers(apiKey: string): Record<string, string>;
  /** The body in pieces, so that the part that did not change since the last request is not copied or serialised again. */
  encode(request: ModelRequest, options: EncodeOptions): readonly Uint8Array[];
  createDecoder(onEvent: (event: ProviderEvent) => void): Decoder;
  /** Which optional field of our request a 400 complains about. */
  refusedField(request: ModelRequest, message: string, known: Refusals): keyof Refusals | undefined;
  /** Changes what the next encoding of this request holds, if the complaint is about that: true when it is worth sending again. */
  repair?(request: ModelRequest, message: string): boolean;
}

export interface Decoder {
  /** One server-sent event. Throws ProviderError when the event is an error or cannot be read. */
  push(data: string, eventName: string | undefined): void;
  /** A whole answer, from a server that does not stream. */
  pushWhole(body: unknown): void;
  /** Passes on text gathered since the last flush: called once a network packet. */
  flush(): void;
  /** The answer has ended: what still follows is not worth waiting for. */
  readonly state: "open" | "finishing" | "done";
  /** Throws ProviderError "broken-stream" when the stream ended before the answer did. */
  answer(): ModelAnswer;
}

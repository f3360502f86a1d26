import type { ModelAnswer, ModelRequest, ProviderEvent } from "../contracts/provider.ts";

/** Optional fields an endpoint was found to refuse. Learned from its 400s, remembered per endpoint and model. */
export type Refusals = {
  readonly streamOptions?: true;
  readonly maxTokens?: true;
  readonly temperature?: true;
  readonly reasoning?: true;
};

export type EncodeOptions = {
  readonly refusals: Refusals;
  /** Send thinking back with the tool calls it led to (DeepSeek, Kimi and GLM want it; others have never sent any). */
  readonly replayThinking: boolean;
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
  refusedField(request: ModelRequest, message: string): keyof Refusals | undefined;
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

import { ProviderError } from "../contracts/errors.ts";
import type { ProviderEvent } from "../contracts/provider.ts";
import { errorInStream } from "./provider-errors.ts";

/** What all decoders need. */

export type Json = { readonly [key: string]: unknown };

/** The data of one event as an object; undefined for anything else that is JSON. Throws ProviderError "broken-stream": a lost piece corrupts what follows. */
export function parseEvent(data: string): Json | undefined {
  let event: unknown;
  try {
    event = JSON.parse(data);
  } catch (cause) {
    throw new ProviderError("broken-stream", `the stream held something that is no JSON: ${data.slice(0, 80)}`, {
      cause,
    });
  }
  return event !== null && typeof event === "object" ? (event as Json) : undefined;
}

/** `[DONE]`, with which some servers end a stream on any wire. */
export function isEndMark(data: string): boolean {
  return data.length < 16 && data.trim() === "[DONE]";
}

export function asObject(value: unknown): Json {
  return value !== null && typeof value === "object" ? (value as Json) : {};
}

/** A number of tokens; nonsense is none. */
export function count(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}

/** An error in the words of no wire: what a gateway says for itself, or passes on from behind. Throws it. */
export function throwForeignError(event: Json): void {
  if (event.error) throw errorInStream(event.error);
  // `{ "internalServerException": { … } }`
  const exception = Object.keys(event).find((key) => /exception$/i.test(key));
  if (exception !== undefined) throw errorInStream(event[exception]);
}

export function closedEarly(): ProviderError {
  return new ProviderError("broken-stream", "the connection closed in the middle of the answer");
}

/** Events without any content after which a stream counts as stuck. */
const idleEventLimit = 5_000;

export type Deltas = {
  text(piece: string): void;
  thinking(piece: string): void;
  /** Something else of the answer arrived. */
  progress(): void;
  /** Called for each event: throws ProviderError "stalled" when events go on and on without bringing anything. */
  tick(): void;
  flush(): void;
};

/** Pieces of text and thinking wait here for the end of the network packet. */
export function createDeltas(onEvent: (event: ProviderEvent) => void): Deltas {
  let text = "";
  let thinking = "";
  let idleEvents = 0;
  return {
    text(piece) {
      text += piece;
      if (piece !== "") idleEvents = 0;
    },
    thinking(piece) {
      thinking += piece;
      if (piece !== "") idleEvents = 0;
    },
    progress: () => void (idleEvents = 0),
    tick() {
      if (++idleEvents > idleEventLimit)
        throw new ProviderError("stalled", `${idleEventLimit} events in a row carried nothing`);
    },
    flush() {
      const pending = { text, thinking };
      text = "";
      thinking = "";
      if (pending.thinking !== "") onEvent({ type: "thinking", text: pending.thinking });
      if (pending.text !== "") onEvent({ type: "text", text: pending.text });
    },
  };
}

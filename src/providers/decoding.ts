import { ProviderError } from "../contracts/errors.ts";
import type { ProviderEvent } from "../contracts/provider.ts";
import { errorInStream } from "./provider-errors.ts";

/** What all decoders need. */

export type Json = { readonly [key: string]: unknown };

/** With which some servers end a stream, on any wire. */
export const endMark = "[DONE]";

/** The data of one event as an object; undefined for anything else that is JSON. Throws ProviderError "broken-stream": a lost piece corrupts what follows. */
export function parseEvent(data: string): Json | typeof endMark | undefined {
  if (data.length < 16 && data.trim() === endMark) return endMark;
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

/** A part of the answer that grows. */
export type Growing = { text: string };

export type Deltas = {
  /** The text is in `part` after the next flush, or after `settle`. */
  text(piece: string, part: Growing): void;
  thinking(piece: string, part: Growing): void;
  /** Puts what has come into its parts, without passing it on yet. */
  settle(): void;
  /** Something else of the answer arrived. */
  progress(): void;
  /** Called for each event: throws ProviderError "stalled" when events go on and on without bringing anything. */
  tick(): void;
  flush(): void;
};

/**
 * Pieces of text and thinking wait here for the end of the network packet. They are put together first and added to their part then: a part
 * that is added to token by token becomes a chain of a hundred thousand strings.
 */
export function createDeltas(onEvent: (event: ProviderEvent) => void): Deltas {
  const texts = createChannel((text) => onEvent({ type: "text", text }));
  const thoughts = createChannel((text) => onEvent({ type: "thinking", text }));
  let idleEvents = 0;
  return {
    text(piece, part) {
      texts.add(piece, part);
      if (piece !== "") idleEvents = 0;
    },
    thinking(piece, part) {
      thoughts.add(piece, part);
      if (piece !== "") idleEvents = 0;
    },
    settle() {
      texts.settle();
      thoughts.settle();
    },
    progress: () => void (idleEvents = 0),
    tick() {
      if (++idleEvents > idleEventLimit)
        throw new ProviderError("stalled", `${idleEventLimit} events in a row carried nothing`);
    },
    flush() {
      thoughts.flush();
      texts.flush();
    },
  };
}

function createChannel(passOn: (text: string) => void) {
  let fresh = "";
  let pending = "";
  let growing: Growing | undefined;
  function settle(): void {
    if (growing === undefined || fresh === "") return;
    growing.text += fresh;
    pending += fresh;
    fresh = "";
  }
  return {
    settle,
    add(piece: string, part: Growing) {
      if (part !== growing) {
        settle();
        growing = part;
      }
      fresh += piece;
    },
    flush() {
      settle();
      const text = pending;
      pending = "";
      if (text !== "") passOn(text);
    },
  };
}

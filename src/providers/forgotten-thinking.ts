import type { Message } from "../contracts/message.ts";

/**
 * Thinking that the vendor does not recognise any more: it is bound to the words before it, to an account or to a model, and those change when
 * the view is cut, a session is taken up elsewhere or the person switches. Such thinking is left out from then on.
 */
export type ForgottenThinking = {
  /** Grows with every change. */
  readonly version: number;
  has(message: Message): boolean;
  /** The vendor complained: forgets the thinking of these messages, from the given one on; false when there is none left to forget. */
  forget(messages: readonly Message[], from: number): boolean;
  /** The messages from this one on follow other words than before. To a vendor that has complained once, their thinking is void. */
  wordsChanged(messages: readonly Message[], from: number): void;
};

export function createForgottenThinking(): ForgottenThinking {
  const forgotten = new WeakSet<Message>();
  let version = 0;
  function forget(messages: readonly Message[], from: number): boolean {
    const known = messages.slice(from).filter((message) => thinks(message) && !forgotten.has(message));
    for (const message of known) forgotten.add(message);
    if (known.length > 0) version++;
    return known.length > 0;
  }
  return {
    get version() {
      return version;
    },
    has: (message) => forgotten.has(message),
    forget,
    wordsChanged(messages, from) {
      if (version > 0) forget(messages, from);
    },
  };
}

function thinks(message: Message): boolean {
  return message.parts.some((part) => part.type === "thinking");
}

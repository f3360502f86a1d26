import type { Message } from "../contracts/message.ts";

/**
 * What must hold for every view, whatever a stage did: each call is followed by exactly its results, in order; no result stands alone; the
 * messages named as untouchable are there as they were. Answers with the first breach, or undefined.
 */
export function breachIn(view: readonly Message[], untouchable: readonly Message[]): string | undefined {
  return pairingBreach(view) ?? untouchableBreach(view, untouchable);
}

function pairingBreach(view: readonly Message[]): string | undefined {
  let open: string[] = [];
  for (const message of view) {
    if (message.role === "tool") {
      for (const part of message.parts) {
        if (part.type !== "tool-result") continue;
        if (open.shift() !== part.callId) return `the result of ${part.callId} does not follow its call`;
      }
      continue;
    }
    if (open.length > 0) return `the call ${open[0]} has no result`;
    open = message.parts.flatMap((part) => (part.type === "tool-call" ? [part.callId] : []));
  }
  return undefined;
}

function untouchableBreach(view: readonly Message[], untouchable: readonly Message[]): string | undefined {
  const present = new Set(view);
  const missing = untouchable.find((message) => !present.has(message));
  return missing && `the message ${missing.id} was touched`;
}

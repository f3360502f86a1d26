import type { ToolResultPart } from "../contracts/message.ts";

export type EarlyStart = {
  /** `start` answers undefined for a call that must wait: then all later ones wait too. */
  offer(start: () => Promise<{ callId: string; result: Promise<ToolResultPart> } | undefined>): void;
  started(): Promise<ReadonlyMap<string, Promise<ToolResultPart>>>;
};

/** Calls that began while the model was still streaming. */
export function createEarlyStart(): EarlyStart {
  const results = new Map<string, Promise<ToolResultPart>>();
  let blocked = false;
  let settled: Promise<void> = Promise.resolve();
  return {
    offer(start) {
      settled = settled.then(async () => {
        const call = blocked ? undefined : await start();
        if (call) results.set(call.callId, call.result);
        else blocked = true;
      });
    },
    started: () => settled.then(() => results),
  };
}

import { messageOf } from "../contracts/errors.ts";
import type { Tracked } from "../contracts/file-change.ts";
import type { Ended } from "./engine.ts";
import type { PaceOptions } from "./pace.ts";
import type { RunningEngine } from "./start-engine.ts";

/** A look at everything before the work and one after it. */
export async function trackWorkspace<T>(
  start: () => Promise<RunningEngine>,
  work: () => Promise<T>,
  pacing: PaceOptions,
): Promise<Tracked<T>> {
  const { engine, uncovered } = await begin(start, pacing);
  if (engine === undefined) return { result: await work(), changes: [], uncovered };
  // Whatever becomes of the work, the engine must know that it is over. Who stops the work still wants to know what it did.
  const [result] = await Promise.allSettled([work()]);
  const ended: Ended = await engine
    .end({ onProgress: pacing.onProgress })
    .catch((error: unknown) => ({ changes: [], uncovered: [couldNot(error)] }));
  if (result.status === "rejected") throw result.reason;
  return { result: result.value, changes: ended.changes, uncovered: [...uncovered, ...ended.uncovered] };
}

/** Without an engine nothing was captured. */
type Beginning = { readonly engine: RunningEngine | undefined; readonly uncovered: readonly string[] };

async function begin(start: () => Promise<RunningEngine>, pacing: PaceOptions): Promise<Beginning> {
  try {
    const engine = await start();
    const { isCovered, uncovered } = await engine.begin(pacing);
    if (isCovered && pacing.signal?.aborted) await engine.end({});
    pacing.signal?.throwIfAborted();
    return { engine: isCovered ? engine : undefined, uncovered };
  } catch (error) {
    pacing.signal?.throwIfAborted();
    return { engine: undefined, uncovered: [couldNot(error)] };
  }
}

function couldNot(error: unknown): string {
  return `The workspace cannot be saved for undo (${messageOf(error)}): what commands change there cannot be taken back.`;
}

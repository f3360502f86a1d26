import { monotonicMs } from "../platform/clock.ts";

/** Long work in slices: others get their turn in between, the person sees how far it is, and it can be stopped. */
export type Pace = {
  isDue(): boolean;
  /** `progress` is asked only when it is time to tell. Throws when stopped. */
  pause(progress: () => string): Promise<void>;
};

export type PaceOptions = {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((text: string) => void) | undefined;
};

const sliceMs = 10;
const progressEveryMs = 300;

export function createPace({ signal, onProgress }: PaceOptions): Pace {
  let sliceStart = monotonicMs();
  let lastTold = sliceStart;
  return {
    isDue: () => monotonicMs() - sliceStart > sliceMs,
    async pause(progress) {
      if (onProgress && monotonicMs() - lastTold > progressEveryMs) {
        lastTold = monotonicMs();
        onProgress(progress());
      }
      await new Promise((resolve) => setImmediate(resolve));
      signal?.throwIfAborted();
      sliceStart = monotonicMs();
    },
  };
}

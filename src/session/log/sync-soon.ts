import { monotonicMs } from "../../platform/clock.ts";

/** Makes sure that what was written reaches the disk soon, without anybody waiting for it. */
export type SyncSoon = {
  /** Something was written. */
  touch(): void;
  /** Resolves when all that was written before is on the disk, or cannot be brought there. Never rejects. */
  settle(): Promise<void>;
  /** It was synced in another way. */
  clear(): void;
  readonly isClean: boolean;
};

export type SyncSoonOptions = {
  /** At most this long after the first write, a little is left for the timer itself. */
  readonly withinMs: number;
  /** Calls back once. */
  readonly sync: (done: (error?: Error) => void) => void;
  readonly onDone: (error: Error | undefined) => void;
};

const timerSlackMs = 10;

/** One sync at a time: writes that come while one is under way wait for the next. */
export function createSyncSoon({ withinMs, sync, onDone }: SyncSoonOptions): SyncSoon {
  let dirtySince: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;

  function stopTimer(): void {
    clearTimeout(timer);
    timer = undefined;
  }

  function run(): void {
    stopTimer();
    dirtySince = undefined;
    running = new Promise((resolve) => {
      sync((error) => {
        running = undefined;
        onDone(error);
        startTimer();
        resolve();
      });
    });
  }

  function startTimer(): void {
    if (dirtySince === undefined || timer !== undefined) return;
    const leftMs = dirtySince + withinMs - timerSlackMs - monotonicMs();
    timer = setTimeout(run, Math.max(0, leftMs)).unref();
  }

  return {
    get isClean() {
      return dirtySince === undefined && running === undefined;
    },
    touch() {
      dirtySince ??= monotonicMs();
      if (running === undefined) startTimer();
    },
    async settle() {
      // the one under way does not cover what was written since it began
      await running;
      if (dirtySince !== undefined && running === undefined) run();
      await running;
    },
    clear() {
      stopTimer();
      dirtySince = undefined;
    },
  };
}

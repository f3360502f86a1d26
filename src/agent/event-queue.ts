/** Turns "call me when something happens" into "give me what happens next". One producer, one reader. */
export type EventQueue<T> = {
  push(item: T): void;
  /** No more items; with an error the reader's loop throws it. */
  close(error?: unknown): void;
  read(): AsyncGenerator<T, void, undefined>;
};

export function createEventQueue<T>(): EventQueue<T> {
  let items: T[] = [];
  let wake: (() => void) | undefined;
  let closed: { error?: unknown } | undefined;
  return {
    push(item) {
      items.push(item);
      wake?.();
    },
    close(error) {
      closed ??= { error };
      wake?.();
    },
    async *read() {
      for (;;) {
        const ready = items;
        items = [];
        yield* ready;
        if (items.length > 0) continue;
        if (closed) {
          if (closed.error !== undefined) throw closed.error;
          return;
        }
        await new Promise<void>((resolve) => (wake = resolve));
        wake = undefined;
      }
    },
  };
}

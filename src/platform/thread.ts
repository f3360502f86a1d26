import type { Worker } from "node:worker_threads";

export type ThreadCall = {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((text: string) => void) | undefined;
};

/** Something that answers calls, here or in another thread. Input and answer are plain data. */
export type Callee = (method: string, input: unknown, call: ThreadCall) => Promise<unknown>;

export type Thread = { readonly call: Callee; isAlive(): boolean; close(): void };

type Question =
  | { readonly type: "call"; readonly id: number; readonly method: string; readonly input: unknown }
  | { readonly type: "abort"; readonly id: number };

type Answer =
  | { readonly type: "done"; readonly id: number; readonly result: unknown }
  | { readonly type: "failed"; readonly id: number; readonly message: string }
  | { readonly type: "progress"; readonly id: number; readonly text: string };

type Waiting = {
  readonly call: ThreadCall;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Starts a bundled file that calls `serveThread`. The thread keeps the process alive only while a call is open. When it dies, open calls
 * are rejected, and so are later ones.
 */
export async function startThread(file: string, data: unknown): Promise<Thread> {
  const { Worker } = await import("node:worker_threads");
  // A worker gets a copy of the environment unless told otherwise, and ours holds keys.
  const worker = new Worker(file, { env: {}, workerData: data });
  worker.unref();
  const open = new Map<number, Waiting>();
  let lastId = 0;
  let death: Error | undefined;
  const settle = (id: number): Waiting | undefined => {
    const waiting = open.get(id);
    open.delete(id);
    if (open.size === 0) worker.unref();
    return waiting;
  };
  const die = (error: Error) => {
    death ??= error;
    for (const id of [...open.keys()]) settle(id)?.reject(death);
  };
  worker.on("message", (answer: Answer) => {
    if (answer.type === "progress") open.get(answer.id)?.call.onProgress?.(answer.text);
    else if (answer.type === "done") settle(answer.id)?.resolve(answer.result);
    else settle(answer.id)?.reject(new Error(answer.message));
  });
  worker.on("error", die);
  worker.on("exit", () => die(new Error("the thread ended")));
  return {
    call: (method, input, call) => ask({ worker, open, id: ++lastId, death }, { method, input, call }),
    isAlive: () => death === undefined,
    close: () => void worker.terminate(),
  };
}

type Line = {
  readonly worker: Worker;
  readonly open: Map<number, Waiting>;
  readonly id: number;
  readonly death: Error | undefined;
};

function ask(
  { worker, open, id, death }: Line,
  { method, input, call }: { readonly method: string; readonly input: unknown; readonly call: ThreadCall },
): Promise<unknown> {
  if (death) return Promise.reject(death);
  const { signal } = call;
  if (signal?.aborted) return Promise.reject(signal.reason);
  const send = (question: Question) => worker.postMessage(question);
  const abort = () => send({ type: "abort", id });
  signal?.addEventListener("abort", abort, { once: true });
  return new Promise((resolve, reject) => {
    open.set(id, { call, resolve, reject });
    worker.ref();
    send({ type: "call", id, method, input });
  })
    .catch((error: unknown) => {
      throw signal?.aborted ? signal.reason : error;
    })
    .finally(() => signal?.removeEventListener("abort", abort));
}

/** The other side, inside the thread. */
export async function serveThread(start: (data: unknown) => Callee): Promise<void> {
  const { parentPort, workerData } = await import("node:worker_threads");
  if (parentPort === null) throw new Error("serveThread is for worker threads");
  const port = parentPort;
  const callee = start(workerData);
  const aborts = new Map<number, AbortController>();
  const answer = (message: Answer) => port.postMessage(message);
  port.on("message", (question: Question) => {
    const { id } = question;
    if (question.type === "abort") {
      aborts.get(id)?.abort();
      return;
    }
    const abort = new AbortController();
    aborts.set(id, abort);
    callee(question.method, question.input, {
      signal: abort.signal,
      onProgress: (text) => answer({ type: "progress", id, text }),
    })
      .then(
        (result) => answer({ type: "done", id, result }),
        (error: unknown) =>
          answer({ type: "failed", id, message: error instanceof Error ? error.message : String(error) }),
      )
      .finally(() => aborts.delete(id));
  });
}

import { searchWorkerSource } from "./search-worker.ts";

/** Searching without ripgrep: slower, no binary and no huge files, but the same answers. */

export type FoundLine = { readonly line: number; readonly isMatch: boolean; readonly text: string };

export type TextSearch = {
  readonly base: string;
  /** Relative to the base. */
  readonly paths: readonly string[];
  readonly pattern: RegExp;
  /** Lines to show around a match. */
  readonly context: number;
  readonly signal: AbortSignal;
  readonly timeLimitMs: number;
  readonly onFile: (path: string, found: readonly FoundLine[]) => "more" | "enough";
};

const maxFileBytes = 10 * 1024 * 1024;

export async function searchText(search: TextSearch): Promise<"finished" | "time-limit" | "enough" | "interrupted"> {
  const { Worker } = await import("node:worker_threads");
  const { base, paths, pattern, context, signal } = search;
  const workerData = { base, paths, source: pattern.source, flags: pattern.flags, context, maxFileBytes };
  // A worker gets a copy of the environment unless told otherwise, and ours holds keys.
  const worker = new Worker(searchWorkerSource, { eval: true, env: {}, workerData });
  return new Promise((resolve, reject) => {
    const end = (how: "finished" | "time-limit" | "enough" | "interrupted") => {
      clearTimeout(timer);
      signal.removeEventListener("abort", interrupt);
      void worker.terminate();
      resolve(how);
    };
    const interrupt = () => end("interrupted");
    const timer = setTimeout(end, search.timeLimitMs, "time-limit");
    signal.addEventListener("abort", interrupt);
    if (signal.aborted) interrupt();
    worker.on("message", ({ path, found }: { path: string; found: FoundLine[] }) => {
      if (search.onFile(path, found) === "enough") end("enough");
    });
    worker.once("exit", () => end("finished"));
    worker.once("error", reject);
  });
}

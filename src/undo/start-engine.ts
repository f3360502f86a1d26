import { createRequire } from "node:module";
import { startThread } from "../platform/thread.ts";
import type { EngineOptions, UndoEngine } from "./engine.ts";
import { engineOf } from "./engine-calls.ts";

/** The bundle lies beside the program; run from source there is none, and the engine works here in slices. */
function bundledWorker(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve("./undo-worker.cjs");
  } catch {
    return undefined;
  }
}

export type RunningEngine = UndoEngine & { isAlive(): boolean; stop(): void };

export async function startEngine(options: EngineOptions, place: "thread" | "here"): Promise<RunningEngine> {
  const file = place === "thread" ? bundledWorker() : undefined;
  if (file === undefined) {
    const { createUndoEngine } = await import("./engine.ts");
    return { ...createUndoEngine(options), isAlive: () => true, stop() {} };
  }
  const thread = await startThread(file, options);
  return { ...engineOf(thread.call), isAlive: thread.isAlive, stop: thread.close };
}

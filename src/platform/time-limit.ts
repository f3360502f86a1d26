import { runInNewContext } from "node:vm";

/** Runs synchronous work and stops it after the time, even in the middle of a regular expression. Undefined when it was stopped. */
export function withTimeLimit<T>(limitMs: number, work: () => T): T | undefined {
  try {
    return runInNewContext("work()", { work }, { timeout: limitMs });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return undefined;
    throw error;
  }
}

import type { FileChange } from "../contracts/file-change.ts";
import type { Callee } from "../platform/thread.ts";
import type { UndoEngine, Wanted } from "./engine.ts";

/** The engine as calls with plain data. */
export function callsOf(engine: UndoEngine): Callee {
  return async (method, input, call) => {
    switch (method as keyof UndoEngine) {
      case "begin":
        return engine.begin(call);
      case "end":
        return engine.end(call);
      case "plan":
        return engine.plan(input as Wanted);
      case "restore":
        return engine.restore(input as Wanted);
      case "diff":
        return engine.diff(input as readonly FileChange[]);
      case "close":
        return engine.close();
    }
  };
}

/** The other way round: calls as an engine. */
export function engineOf(call: Callee): UndoEngine {
  return {
    begin: (pacing) => call("begin", undefined, pacing) as ReturnType<UndoEngine["begin"]>,
    end: (pacing) => call("end", undefined, pacing) as ReturnType<UndoEngine["end"]>,
    plan: (wanted) => call("plan", wanted, {}) as ReturnType<UndoEngine["plan"]>,
    restore: (wanted) => call("restore", wanted, {}) as ReturnType<UndoEngine["restore"]>,
    diff: (changes) => call("diff", changes, {}) as ReturnType<UndoEngine["diff"]>,
    close: () => call("close", undefined, {}) as ReturnType<UndoEngine["close"]>,
  };
}

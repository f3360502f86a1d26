import { type Callee, serveThread } from "../platform/thread.ts";
import { createUndoEngine, type EngineOptions } from "./engine.ts";
import { callsOf } from "./engine-calls.ts";

/** The engine in a thread of its own: walking and reading a large project must not hold up what the person sees. */
void serveThread((data): Callee => callsOf(createUndoEngine(data as EngineOptions)));

import type { AgentEvent } from "../contracts/event.ts";
import { metricBody, type Resource, traceBody } from "./otlp.ts";
import { createSpanRecorder, type SpanSource } from "./spans.ts";

export type TelemetryOptions = SpanSource &
  Resource & {
    /** Sends one body to a path below the collector's address; rejects when it was not taken. */
    readonly send: (path: "/v1/traces" | "/v1/metrics", body: string) => Promise<void>;
    readonly onTrouble: (problem: unknown) => void;
  };

export type Telemetry = {
  /** The same events, watched. */
  watch(events: AsyncIterable<AgentEvent>): AsyncGenerator<AgentEvent, void, undefined>;
  /** Resolves when everything was sent or given up. */
  flush(): Promise<void>;
};

/** Spans and metrics of every prompt, to the collector that the person configured. Nothing waits for it but the end. */
export function createTelemetry(options: TelemetryOptions): Telemetry {
  let pending: Promise<unknown> = Promise.resolve();
  let isTold = false;
  function report(problem: unknown): void {
    if (!isTold) options.onTrouble(problem);
    isTold = true;
  }
  return {
    async *watch(events) {
      const recorder = createSpanRecorder(options);
      for await (const event of events) {
        const spans = recorder.take(event);
        if (spans !== undefined) {
          const traces = options.send("/v1/traces", JSON.stringify(traceBody(spans, options)));
          const metrics = options.send("/v1/metrics", JSON.stringify(metricBody(spans, options)));
          pending = Promise.all([pending, traces, metrics]).catch(report);
        }
        yield event;
      }
    },
    flush: async () => void (await pending),
  };
}

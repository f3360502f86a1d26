import { ToolError } from "../contracts/errors.ts";
import type { AgentEvent } from "../contracts/event.ts";
import type { RunSubagent } from "../contracts/subagent.ts";
import type { ToolContext } from "../contracts/tool.ts";
import type { JobTable } from "../platform/jobs/job-table.ts";
import { prepareSubagent, type SubagentParts } from "./prepare-subagent.ts";
import { startInBackground } from "./subagent-background.ts";

/** As many work at once, in the background included. */
const agentLimit = 8;

export type SubagentsOptions = SubagentParts & { readonly jobs: JobTable };

export type Subagents = {
  readonly run: RunSubagent;
  /** Stops all that run; nothing of them is told any more. */
  stop(): void;
  /** When all have ended and tidied up. */
  settled(): Promise<void>;
};

/** Conversations of their own inside a conversation. Their events surface in the parent's stream, their tokens count there. */
export function createSubagents(options: SubagentsOptions): Subagents {
  const running = new Set<Promise<unknown>>();
  const ends = new AbortController();
  const waiting: (() => void)[] = [];
  let taken = 0;

  const noted = <T>(work: Promise<T>): Promise<T> => {
    running.add(work);
    void work.finally(() => running.delete(work)).catch(() => {});
    return work;
  };

  async function inSlot<T>(work: () => Promise<T>): Promise<T> {
    if (taken >= agentLimit) await new Promise<void>((resolve) => waiting.push(resolve));
    else taken++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else taken--;
    }
  }

  const emitTo =
    ({ emit }: ToolContext) =>
    (event: AgentEvent) => {
      if (!ends.signal.aborted) emit(event);
    };

  return {
    async run(request, context) {
      if (!request.run_in_background)
        return noted(
          inSlot(async () => {
            if (context.signal.aborted) return { text: "[interrupted]", isError: true };
            const agent = await prepareSubagent(request, context, options);
            return agent.run(AbortSignal.any([context.signal, ends.signal]), emitTo(context));
          }),
        );
      if (taken >= agentLimit || !options.jobs.hasRoom())
        throw new ToolError(
          `${agentLimit} agents or jobs run already. Wait for one or end one with the job tool first.`,
        );
      const agent = await prepareSubagent(request, context, options);
      const emit = emitTo(context);
      return startInBackground({
        ...{ agent, context, emit, jobs: options.jobs, task: request.task, ends: ends.signal },
        track: (work) => void noted(inSlot(work)),
      });
    },
    stop: () => ends.abort(),
    settled: async () => void (await Promise.allSettled(running)),
  };
}

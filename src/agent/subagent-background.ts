import { join } from "node:path";
import { messageOf } from "../contracts/errors.ts";
import type { AgentEvent } from "../contracts/event.ts";
import type { ToolContext, ToolOutput } from "../contracts/tool.ts";
import { createJobOutput } from "../platform/jobs/job-output.ts";
import type { JobTable } from "../platform/jobs/job-table.ts";

/** A sub-agent that can be run: what may fail before it begins has not failed. */
export type PreparedSubagent = {
  run(signal: AbortSignal, onEvent: (event: AgentEvent) => void): Promise<ToolOutput>;
};

export type BackgroundOptions = {
  readonly agent: PreparedSubagent;
  readonly task: string;
  readonly context: ToolContext;
  readonly jobs: JobTable;
  readonly emit: (event: AgentEvent) => void;
  /** The session is over. */
  readonly ends: AbortSignal;
  readonly track: (work: () => Promise<void>) => void;
};

/** The call is answered at once; the agent becomes a job, which ends with the session at the latest. */
export function startInBackground({ agent, task, context, jobs, emit, ends, track }: BackgroundOptions): ToolOutput {
  const id = `agent${context.handle.replace(/[^A-Za-z0-9]/g, "")}`;
  const output = createJobOutput(() => {
    const folder = context.outputFolder();
    return folder && join(folder, id);
  });
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, ends]);
  const finished = new Promise<{ code: number; signal: null; ending: "exited" | "stopped" }>((resolve) => {
    track(async () => {
      const { text, isError = false } = await agent
        .run(signal, (event) => {
          if (event.type === "tool.started")
            output.push(line(`${event.view.label} ${event.view.title.split("\n")[0]}`));
          emit(event);
        })
        .catch((error: unknown): ToolOutput => ({ text: messageOf(error), isError: true }));
      // nobody needs to know what it did once it has reported
      output.takeNew();
      output.push(line(text));
      emit({ type: "notice", text: `${id} ${isError ? "failed" : "is done"}: ${task.split("\n")[0]}` });
      resolve({ code: isError ? 1 : 0, signal: null, ending: signal.aborted ? "stopped" : "exited" });
    });
  });
  jobs.add({ id, command: task, what: "agent" }, { finished, end: () => stop.abort() }, output);
  return {
    text: `${id} works in the background. You are told when it is done; the job tool shows what it does, waits for it or ends it.`,
  };
}

const line = (text: string) => Buffer.from(`${text}\n`);

import { signalGroup } from "../process-group.ts";
import type { ShellResult } from "../shell.ts";
import type { JobOutput } from "./job-output.ts";

type JobNames = {
  readonly id: string;
  /** The command, or the task. */
  readonly command: string;
  /** Left out: a command. */
  readonly what?: "agent";
};

/** `pid` is that of a process group, where there is one. */
type JobWork = {
  readonly pid?: number;
  readonly finished: Promise<JobResult>;
  end(ending: "stopped"): void;
};

type JobResult = Pick<ShellResult, "code" | "signal" | "ending">;

/** A command or a sub-agent that runs while the conversation goes on. */
export type Job = JobNames & {
  readonly output: JobOutput;
  readonly startedAt: number;
  readonly ended: { readonly result: JobResult; readonly afterMs: number } | undefined;
  /** When it has ended and all it printed is there. */
  readonly finished: Promise<void>;
  /** The model has been told that it ended. */
  isToldEnd: boolean;
  /** Ends it and all it started; without a name with TERM, then KILL. */
  kill(signal?: NodeJS.Signals): void;
};

export type JobTable = {
  /** False when no more may run. */
  hasRoom(): boolean;
  add(job: JobNames, running: JobWork, output: JobOutput): Job;
  get(id: string): Job | undefined;
  list(): readonly Job[];
};

/** Each is a command that somebody may have forgotten. */
export const jobLimit = 8;

/** The jobs of one session. Their processes are ended with all others when the program ends. */
export function createJobTable(): JobTable {
  const jobs = new Map<string, Job>();
  return {
    hasRoom: () => [...jobs.values()].filter(({ ended }) => ended === undefined).length < jobLimit,
    add(names, running, output) {
      const startedAt = performance.now();
      let ended: Job["ended"];
      const finished = running.finished.then((result) => {
        output.end();
        ended = { result, afterMs: performance.now() - startedAt };
      });
      const job: Job = {
        ...names,
        output,
        startedAt,
        finished,
        isToldEnd: false,
        get ended() {
          return ended;
        },
        kill(signal) {
          if (signal === undefined || running.pid === undefined) running.end("stopped");
          else signalGroup(running.pid, signal);
        },
      };
      jobs.set(job.id, job);
      return job;
    },
    get: (id) => jobs.get(id),
    list: () => [...jobs.values()],
  };
}

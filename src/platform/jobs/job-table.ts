import { signalGroup } from "../process-group.ts";
import type { RunningShell, ShellResult } from "../shell.ts";
import type { JobOutput } from "./job-output.ts";

/** A command that runs while the conversation goes on. */
export type Job = {
  readonly id: string;
  readonly command: string;
  readonly output: JobOutput;
  readonly startedAt: number;
  readonly ended: { readonly result: ShellResult; readonly afterMs: number } | undefined;
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
  add(job: { readonly id: string; readonly command: string }, running: RunningShell, output: JobOutput): Job;
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
          if (signal === undefined) running.end("stopped");
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

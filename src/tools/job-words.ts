import type { Job, JobTable } from "../platform/jobs/job-table.ts";

export function commandLine(command: string): string {
  const line = command.replace(/\s+/g, " ").trim();
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}

function duration(ms: number): string {
  return ms < 90_000 ? `${Math.round(ms / 100) / 10} s` : `${Math.round(ms / 60_000)} min`;
}

/** `job3 ended with exit code 0 after 2.1 s`. */
export function statusOf({ id, what, ended, startedAt }: Job): string {
  if (ended === undefined) return `${id} is running, for ${duration(performance.now() - startedAt)}`;
  const { code, signal, ending } = ended.result;
  const how =
    ending === "waiting"
      ? "was ended because it waits for input and nobody can type"
      : ending === "stopped"
        ? "was ended on request"
        : what === "agent"
          ? code === 0
            ? "is done"
            : "failed"
          : signal === null
            ? `ended with exit code ${code}`
            : `was killed by signal ${signal}`;
  return `${id} ${how} after ${duration(ended.afterMs)}`;
}

const shownChars = 1_500;
/** What an agent reports was cut to a bearable length already. */
const shownReportChars = 6_000;

/**
 * What the model is told of jobs that have ended since it was last told. Every line of output is marked, so that none of it can pass for
 * anything but output, nor for the end of the notice.
 */
export function jobNotices(jobs: JobTable): readonly string[] {
  const news = jobs.list().filter((job) => job.ended !== undefined && !job.isToldEnd);
  for (const job of news) job.isToldEnd = true;
  return news.map((job) => {
    const text = job.output.takeNew().trimEnd();
    const limit = job.what === "agent" ? shownReportChars : shownChars;
    const cut = text.length > limit;
    const shown = cut ? text.slice(-limit).replace(/^[^\n]*\n/, "") : text;
    const lines = shown === "" ? "" : `\n${shown.replace(/^/gm, "| ")}`;
    const what = shown === "" ? "No new output" : cut ? `End of its new output (${job.output.where()})` : "New output";
    return `[notice of the program, not of the user: background job ${statusOf(job)} (${commandLine(job.command)}). ${what}:${lines}\n]`;
  });
}

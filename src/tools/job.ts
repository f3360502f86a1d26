import { ToolError } from "../contracts/errors.ts";
import { type Infer, number, object, oneOf, optional, string } from "../contracts/schema.ts";
import { type AnyTool, defineTool, type ToolContext, type ToolOutput } from "../contracts/tool.ts";
import type { Job, JobTable } from "../platform/jobs/job-table.ts";
import { createPatternTest } from "./job-pattern.ts";
import { commandLine, statusOf } from "./job-words.ts";

const defaultWaitS = 60;

const input = object({
  id: optional(string("left out: lists jobs")),
  action: optional(oneOf(["output", "wait", "kill"])),
  pattern: optional(string("wait: regex to wait for instead of the end")),
  timeout: optional(number(`wait: seconds, default ${defaultWaitS}`, { min: 1, max: 600 })),
  signal: optional(string("kill: default TERM")),
});

/** Looks at, waits for and ends what bash and agent started in the background. */
export function createJobTool(jobs: JobTable): AnyTool {
  return defineTool<Infer<typeof input>>({
    name: "job",
    description: "Background jobs: output since the last look, wait for the end or a pattern, kill.",
    input,
    effect: "none",
    describe: ({ id, action }) => ({ label: "job", title: id === undefined ? "list" : `${action ?? "output"} ${id}` }),
    async run({ id, action, pattern, timeout, signal }, context) {
      if (id === undefined) return { text: listing(jobs) };
      const job = jobs.get(id);
      if (job === undefined) throw new ToolError(`There is no job ${id}. ${listing(jobs)}`);
      if (action === "kill") return kill(job, signal);
      if (action !== "wait") return look(job);
      return wait(job, { pattern, timeoutMs: (timeout ?? defaultWaitS) * 1_000 }, context);
    },
  });
}

function listing(jobs: JobTable): string {
  const lines = jobs.list().map((job) => `${statusOf(job)}: ${commandLine(job.command)}`);
  return lines.length === 0 ? "No jobs in this run of the program; jobs end with it." : lines.join("\n");
}

function look(job: Job, note = ""): ToolOutput {
  if (job.ended) job.isToldEnd = true;
  const text = job.output.takeNew().trimEnd();
  return { text: `${text === "" ? "(no new output)" : text}\n[${note}${statusOf(job)}]` };
}

const signals = ["TERM", "INT", "HUP", "KILL", "QUIT", "USR1", "USR2", "STOP", "CONT"];

async function kill(job: Job, signal: string | undefined): Promise<ToolOutput> {
  // an agent knows one end
  const name = job.what === "agent" ? "TERM" : (signal ?? "TERM").toUpperCase().replace(/^SIG/, "");
  if (!signals.includes(name)) throw new ToolError(`signal must be one of ${signals.join(", ")}.`);
  if (job.ended) return look(job);
  job.kill(name === "TERM" ? undefined : (`SIG${name}` as NodeJS.Signals));
  if (name !== "TERM" && name !== "KILL") return look(job, `SIG${name} sent; `);
  await job.finished;
  return look(job);
}

type Wait = { readonly pattern: string | undefined; readonly timeoutMs: number };

async function wait(job: Job, { pattern, timeoutMs }: Wait, { signal }: ToolContext): Promise<ToolOutput> {
  const matches = pattern === undefined ? () => false : await createPatternTest(pattern);
  let timer: NodeJS.Timeout | undefined;
  let stopListening = () => {};
  let interrupt = () => {};
  const seen = new Promise<"found" | "late">((resolve, reject) => {
    timer = setTimeout(resolve, timeoutMs, "late");
    interrupt = () => reject(new ToolError("[interrupted]"));
    signal.addEventListener("abort", interrupt);
    const look = (text: string) => {
      try {
        if (matches(text)) resolve("found");
      } catch (error) {
        reject(error);
      }
    };
    stopListening = job.output.listen(look);
    look(job.output.peekNew());
  });
  try {
    const why = await Promise.race([seen, job.finished.then(() => "ended" as const)]);
    if (why === "late") return look(job, `${timeoutMs / 1_000} s are over; `);
    if (why === "ended" && pattern !== undefined && !matches(job.output.peekNew()))
      return look(job, "pattern not seen; ");
    return look(job);
  } finally {
    clearTimeout(timer);
    stopListening();
    signal.removeEventListener("abort", interrupt);
  }
}

import { messageOf, ToolError } from "../contracts/errors.ts";
import type { AgentEvent, PermissionDenial } from "../contracts/event.ts";
import type { ChangeScope, ChangeTracker, FileChange } from "../contracts/file-change.ts";
import type { HookOutcome, Hooks } from "../contracts/hook.ts";
import type { ToolCallPart, ToolResultPart } from "../contracts/message.ts";
import type { AskPermission, PermissionPolicy } from "../contracts/permission.ts";
import type { Concurrency, Tool, ToolContext, ToolOutput } from "../contracts/tool.ts";
import type { ToolView } from "../contracts/tool-view.ts";
import type { Workspace } from "../contracts/workspace.ts";
import { monotonicMs } from "../platform/clock.ts";
import { displayPath, expandPath, realOrSame } from "../platform/paths.ts";
import { askPermit, requestFor, settle } from "./ask-permit.ts";
import { createEarlyStart } from "./early-start.ts";
import { afterCall, beforeCall, withRemarks } from "./hook-points.ts";
import { concurrencyOf, type KnownTools, type Prepared, prepare } from "./prepare-call.ts";

const parallelLimit = 8;
/** How long a tool may take to clean up after an abort before its call is answered without it. */
const abortGraceMs = 800;

export type ToolRunnerOptions = KnownTools & {
  /** Real paths of files that a call has read or changed. */
  readonly onTouched: (paths: readonly string[]) => void;
  readonly workspace: Workspace;
  readonly permissions: PermissionPolicy;
  readonly tracker: ChangeTracker | undefined;
  readonly ask: AskPermission | undefined;
  readonly signal: AbortSignal;
  /** Must have written a `tool.started` to the log when it returns: the start is on disk before the tool runs. */
  readonly emit: (event: AgentEvent) => void;
  readonly onDenial: (denial: PermissionDenial) => void;
  readonly nextHandle: () => string;
  readonly roundsLeft: number;
  readonly keep: (handle: string, text: string) => string | undefined;
  readonly keepFile: (handle: string, path: string) => string;
  readonly outputFolder: () => string | undefined;
  readonly redact: (text: string) => string;
  readonly recall: ToolContext["recall"];
  readonly requestCompaction: ToolContext["requestCompaction"];
  readonly hooks: Hooks | undefined;
  /** A hook wants the agent to stop when this round is over. */
  readonly onStop: (reason: string) => void;
};

/** The calls of one answer. */
export type ToolRound = {
  /** A call is known while the model still streams: it starts now if it only reads and nothing before it must come first. */
  offer(call: ToolCallPart): void;
  /** The answer was void: what was started for it is forgotten. */
  discard(): void;
  /** Runs all calls and yields the results in call order, each as soon as it and all before it are there. */
  run(calls: readonly ToolCallPart[]): AsyncGenerator<ToolResultPart>;
};

export function createToolRound(options: ToolRunnerOptions): ToolRound {
  const { signal } = options;
  let early = createEarlyStart();
  let running = 0;
  const queue: (() => void)[] = [];

  async function withSlot<T>(work: () => Promise<T>): Promise<T> {
    if (running >= parallelLimit) await new Promise<void>((resolve) => queue.push(resolve));
    running++;
    try {
      return await work();
    } finally {
      running--;
      queue.shift()?.();
    }
  }

  return {
    offer(call) {
      early.offer(async () => {
        const prepared = await prepare(call, options);
        if (!prepared.ready || prepared.concurrency !== "parallel-read") return undefined;
        // a hook may make something else of it
        if (options.hooks?.wants("PreToolUse")) return undefined;
        return { callId: call.callId, result: withSlot(() => execute(call, prepared, options)) };
      });
    },
    discard() {
      early = createEarlyStart();
    },
    async *run(calls) {
      const started = await early.started();
      const results: Promise<ToolResultPart>[] = [];
      let barrier: Promise<unknown> = Promise.resolve();
      let barrierPassed = false;
      for (const call of calls) {
        const prepared = await prepare(call, options);
        const ahead = barrierPassed ? undefined : started.get(call.callId);
        const alone = prepared.ready && prepared.concurrency === "alone";
        const before = alone ? Promise.all(results) : barrier;
        const result = ahead ?? before.then(() => withSlot(() => execute(call, prepared, options)));
        results.push(result);
        if (alone) {
          barrier = result;
          barrierPassed = true;
        }
      }
      for (const [index, result] of results.entries()) {
        yield await orInterrupted(result, calls[index] as ToolCallPart, signal, options);
      }
    },
  };
}

async function execute(call: ToolCallPart, prepared: Prepared, options: ToolRunnerOptions): Promise<ToolResultPart> {
  const handle = options.nextHandle();
  const answer = ({ output, changes }: Ran): ToolResultPart => ({
    type: "tool-result",
    callId: call.callId,
    tool: call.tool,
    text: options.redact(output.text),
    isError: output.isError ?? false,
    handle,
    ...(output.images ? { images: output.images } : {}),
    ...changedFiles(changes, options),
  });
  if (!prepared.ready) return answer(failed(prepared.problem));
  try {
    const { tool, input, concurrency } = prepared;
    return answer(await judgeAndRun({ call, tool, input, concurrency, handle, options }));
  } catch (error) {
    return answer(failed(`${call.tool} failed: ${messageOf(error)}`));
  }
}

/** So many changed files are named with a result; the log has them all. */
const namedChanges = 40;

function changedFiles(
  changes: readonly FileChange[],
  { workspace }: ToolRunnerOptions,
): Pick<ToolResultPart, "changed"> {
  const changed = changes
    .filter(({ before, after }) => (after ?? before)?.type !== "folder")
    .slice(0, namedChanges)
    .map(({ path, before, after }) => {
      const use = after === undefined ? "deleted" : before === undefined ? "created" : "edited";
      return { path: displayPath(path, workspace.root), use } as const;
    });
  return changed.length > 0 ? { changed } : {};
}

type Ran = { readonly output: ToolOutput; readonly changes: readonly FileChange[] };

const failed = (text: string): Ran => ({ output: { text, isError: true }, changes: [] });

const interrupted: ToolOutput = { text: "[interrupted]", isError: true };

type Running = {
  readonly call: ToolCallPart;
  readonly tool: Tool<unknown>;
  readonly input: unknown;
  readonly concurrency: Concurrency;
  readonly handle: string;
  readonly options: ToolRunnerOptions;
  readonly inSandbox?: boolean;
};

/** Hooks come first, so that what they made of the call is what is judged. */
async function judgeAndRun(given: Running): Promise<Ran> {
  const { options, tool } = given;
  if (options.signal.aborted) return failed(interrupted.text);
  if (!options.hooks?.wants("PreToolUse")) return runIfAllowed(given, undefined);
  const { callId } = given.call;
  const hooked = await beforeCall({ callId, tool, input: given.input }, options);
  if (options.signal.aborted) return failed(interrupted.text);
  if (hooked.refusal !== undefined) {
    options.onDenial({ tool: tool.name, callId, input: given.call.input, because: hooked.refusal });
    return failed(hooked.refusal);
  }
  const { input, isChanged, permission, context } = hooked;
  const concurrency = isChanged ? ((await tool.concurrency?.(input)) ?? concurrencyOf(tool)) : given.concurrency;
  const ran = await runIfAllowed({ ...given, input, concurrency }, permission);
  const remark = isChanged ? `A hook changed the arguments of this call to ${JSON.stringify(input)}` : undefined;
  return { ...ran, output: withRemarks(ran.output, [remark, context]) };
}

async function runIfAllowed(running: Running, wish: HookOutcome["permission"]): Promise<Ran> {
  const { call, tool, input, options } = running;
  const view = tool.describe(input);
  const permit = await askPermit(running, view, wish);
  if (options.signal.aborted) return failed(interrupted.text);
  if (permit.refusal !== undefined) return failed(permit.refusal);
  options.emit({ type: "tool.started", callId: call.callId, tool: tool.name, view });
  const startedAt = monotonicMs();
  const { output, changes } = await runTracked({ ...running, inSandbox: permit.inSandbox }, view);
  options.emit({
    type: "tool.finished",
    callId: call.callId,
    tool: tool.name,
    view,
    isError: output.isError ?? false,
    text: output.text,
    durationMs: monotonicMs() - startedAt,
    ...(output.display ? { display: output.display } : {}),
  });
  const touched = [...(view.reads ?? []), ...(view.writes ?? [])];
  if (touched.length > 0) options.onTouched(touched.map((path) => realOrSame(expandPath(path, options.workspace.cwd))));
  if (!options.hooks?.wants("PostToolUse") || options.signal.aborted) return { output, changes };
  return { output: await afterCall({ callId: call.callId, tool, input, output }, options), changes };
}

/** What a call that may change files did to them is on disk before its result is. */
async function runTracked(running: Running, view: ToolView): Promise<Ran> {
  const { call, options } = running;
  const scope = scopeOf(running, view);
  if (options.tracker === undefined || scope === undefined) return { output: await runTool(running), changes: [] };
  const onProgress = (text: string) => options.emit({ type: "tool.progress", callId: call.callId, text });
  const { signal } = options;
  const { result, changes, uncovered } = await options.tracker
    .track(scope, () => runTool(running), { signal, onProgress })
    .catch((error: unknown) => {
      // stopped before the work began
      if (signal.aborted) return { result: interrupted, changes: [], uncovered: [] };
      throw error;
    });
  if (changes.length > 0 || uncovered.length > 0)
    options.emit({ type: "files.changed", callId: call.callId, changes, uncovered });
  return { output: result, changes };
}

/** A command that only reads leaves no traces; another may leave them anywhere. */
function scopeOf({ tool, concurrency, options }: Running, { writes }: ToolView): ChangeScope | undefined {
  if (tool.effect === "execute") return concurrency === "alone" ? "workspace" : undefined;
  if (tool.effect !== "write" || writes === undefined) return undefined;
  return writes.map((path) => expandPath(path, options.workspace.cwd));
}

async function runTool(running: Running): Promise<ToolOutput> {
  const { call, tool, input, handle, options } = running;
  const { callId } = call;
  const context: ToolContext = {
    callId,
    handle,
    workspace: options.workspace,
    signal: options.signal,
    inSandbox: running.inSandbox ?? false,
    approve: async (because) =>
      (await settle({ verdict: "ask", because }, requestFor(running, tool.describe(input)), running)).refusal,
    progress: (text) => options.emit({ type: "tool.progress", callId, text }),
    emit: (event) => options.emit({ ...event, parentCallId: event.parentCallId ?? callId }),
    keep: (text) => options.keep(handle, text),
    keepFile: (path) => options.keepFile(handle, path),
    outputFolder: options.outputFolder,
    roundsLeft: options.roundsLeft,
    recall: options.recall,
    requestCompaction: options.requestCompaction,
  };
  try {
    return await tool.run(input, context);
  } catch (error) {
    if (options.signal.aborted) return interrupted;
    const text = error instanceof ToolError ? error.message : `${tool.name} failed: ${messageOf(error)}`;
    return { text, isError: true };
  }
}

async function orInterrupted(
  result: Promise<ToolResultPart>,
  call: ToolCallPart,
  signal: AbortSignal,
  options: ToolRunnerOptions,
): Promise<ToolResultPart> {
  let timer: NodeJS.Timeout | undefined;
  let giveUp = () => {};
  const givenUp = new Promise<ToolResultPart>((resolve) => {
    giveUp = () => {
      timer = setTimeout(() => {
        const { text } = interrupted;
        resolve({
          type: "tool-result",
          callId: call.callId,
          tool: call.tool,
          text,
          isError: true,
          handle: options.nextHandle(),
        });
      }, abortGraceMs);
    };
    if (signal.aborted) giveUp();
    else signal.addEventListener("abort", giveUp, { once: true });
  });
  try {
    return await Promise.race([result, givenUp]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", giveUp);
  }
}

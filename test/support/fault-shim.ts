import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repoRoot } from "./repo-root.ts";
import { makeTempFolder, removeTempFolder } from "./temp.ts";

/** How the n-th call that changes something below a folder goes wrong; fault-shim.c says what is counted. */
export type Fault = {
  readonly folder: string;
  /** From 1. Left out: nothing fails, calls are only counted. */
  readonly at?: number;
  readonly kind?:
    | "EIO"
    | "ENOSPC"
    | "EROFS"
    | "EACCES"
    | "EBUSY"
    | "half"
    | "stop-before"
    | "kill-before"
    | "kill-half"
    | "kill-after";
  readonly mode?: "once" | "persistent";
  /** Takes the number of calls so far. */
  readonly countFile?: string;
  /** Takes a line for each call. */
  readonly traceFile?: string;
};

export type FaultShim = {
  /** Added to the environment of a program that is to meet the fault. Programs it starts are spared. */
  environment(fault: Fault): Record<string, string>;
};

let shim: FaultShim | undefined;
let problem: string | undefined;

/** Why faults cannot be made on this machine; undefined when they can. */
export function whyNoFaults(): string | undefined {
  if (shim === undefined && problem === undefined) compile();
  return problem;
}

export function faultShim(): FaultShim {
  const why = whyNoFaults();
  if (shim === undefined) throw new Error(why);
  return shim;
}

function compile(): void {
  if (process.platform !== "linux") {
    problem = `faults are made with LD_PRELOAD, which ${process.platform} does not have`;
    return;
  }
  const folder = makeTempFolder();
  process.once("exit", () => removeTempFolder(folder));
  const library = join(folder, "fault-shim.so");
  const source = join(repoRoot, "test/support/fault-shim.c");
  const { status, error, stderr } = spawnSync("gcc", [
    "-shared",
    "-fPIC",
    "-O1",
    "-o",
    library,
    source,
    "-ldl",
    "-lpthread",
  ]);
  if (error || status !== 0) {
    problem = `fault-shim.c could not be compiled (gcc and glibc are needed): ${error?.message ?? stderr.toString().slice(0, 300)}`;
    return;
  }
  const tried = spawnSync(process.execPath, ["-e", ""], { env: { LD_PRELOAD: library, FAULT_FOLDER: folder } });
  if (tried.status !== 0 || tried.stderr.length > 0) {
    problem = `fault-shim.so cannot be loaded into node: ${tried.stderr.toString().slice(0, 300)}`;
    return;
  }
  shim = { environment: (fault) => environment(library, fault) };
}

function environment(library: string, { folder, at, kind, mode, countFile, traceFile }: Fault): Record<string, string> {
  return {
    LD_PRELOAD: library,
    FAULT_FOLDER: folder,
    ...(at === undefined ? {} : { FAULT_AT: String(at) }),
    ...(kind === undefined ? {} : { FAULT_KIND: kind }),
    ...(mode === undefined ? {} : { FAULT_MODE: mode }),
    ...(countFile === undefined ? {} : { FAULT_COUNT_FILE: countFile }),
    ...(traceFile === undefined ? {} : { FAULT_TRACE_FILE: traceFile }),
  };
}

/** How many calls a run made; 0 when it made none. */
export function countedCalls(countFile: string): number {
  return Number(readFileSync(countFile, "utf8").trim() || 0);
}

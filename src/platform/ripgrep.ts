import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { StringDecoder } from "node:string_decoder";
import { endGroup, spawnGroup } from "./process-group.ts";
import { junkFolders, type SearchScope } from "./search-scope.ts";

let found: { readonly path: string | undefined } | undefined;

/** The ripgrep that came with us. One from the PATH is not used: nobody vouches for it. */
export function findRipgrep(): string | undefined {
  found ??= { path: locate() };
  return found.path;
}

function locate(): string | undefined {
  try {
    // Its platform package is a dependency of its own: it need not be visible from here.
    const owner = createRequire(import.meta.url).resolve("@vscode/ripgrep");
    const binary = process.platform === "win32" ? "rg.exe" : "rg";
    const path = createRequire(owner).resolve(`@vscode/ripgrep-${process.platform}-${process.arch}/bin/${binary}`);
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

/** Hidden files count; what git ignores does not; nothing from the user's own ripgrep settings. */
export function scopeFlags({ honoursIgnores, above }: SearchScope): string[] {
  const common = ["--no-config", "--no-messages", "--hidden", "--color=never"];
  if (!honoursIgnores) return [...common, "--no-ignore", "--glob=!.git"];
  const parents = above.length === 0 ? ["--no-ignore-parent"] : [];
  return [...common, "--no-require-git", ...parents, ...junkFolders.map((name) => `--glob=!${name}`)];
}

export type RipgrepRun = {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly timeLimitMs: number;
  readonly separator: "\n" | "\0";
  /** Called for each record of the output. */
  readonly onRecord: (record: string) => "more" | "enough";
};

export type RipgrepEnd = {
  readonly ending: "finished" | "time-limit" | "enough" | "interrupted";
  /** 0 found, 1 nothing found, 2 trouble. */
  readonly code: number | null;
  readonly complaint: string;
};

const longestRecord = 1_000_000;

/** Rejects when ripgrep cannot be started (isStartFailure), and with what onRecord throws. */
export async function runRipgrep(run: RipgrepRun): Promise<RipgrepEnd> {
  const { program: file, args, cwd, signal } = run;
  const group = await spawnGroup({ file, args, cwd, env: { HOME: homedir() }, stdio: ["ignore", "pipe", "pipe"] });
  let ending: RipgrepEnd["ending"] = "finished";
  const stop = (why: RipgrepEnd["ending"]) => {
    if (ending !== "finished") return;
    ending = why;
    void endGroup(group.pid, 0);
  };
  const interrupt = () => stop("interrupted");
  const timer = setTimeout(stop, run.timeLimitMs, "time-limit");
  signal.addEventListener("abort", interrupt);
  if (signal.aborted) interrupt();

  let failure: unknown;
  const records = splitRecords(run.separator, (record) => {
    if (ending !== "finished") return;
    try {
      if (run.onRecord(record) === "enough") stop("enough");
    } catch (error) {
      failure = error;
      stop("enough");
    }
  });
  let complaint = "";
  group.child.stdout?.on("data", records.push);
  group.child.stderr?.on("data", (bytes: Buffer) => {
    if (complaint.length < 4_000) complaint += bytes;
  });
  const code = await new Promise<number | null>((resolve) => group.child.once("close", resolve));
  clearTimeout(timer);
  signal.removeEventListener("abort", interrupt);
  records.end();
  if (failure !== undefined) throw failure;
  return { ending, code, complaint };
}

function splitRecords(
  separator: string,
  onRecord: (record: string) => void,
): { push(bytes: Buffer): void; end(): void } {
  const decoder = new StringDecoder("utf8");
  let open = "";
  return {
    push(bytes) {
      const parts = (open + decoder.write(bytes)).split(separator);
      open = (parts.pop() ?? "").slice(0, longestRecord);
      for (const record of parts) onRecord(record);
    },
    end() {
      if (open !== "") onRecord(open);
    },
  };
}

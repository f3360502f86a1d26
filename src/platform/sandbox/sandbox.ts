import type { Wrap } from "../shell.ts";

/** What a command may touch. Everything that is not named can be read, and nothing else be written. */
export type Confinement = {
  readonly cwd: string;
  /** Folders it may write in; real paths. */
  readonly writable: readonly string[];
  /** Inside those, what stays as it is because other programs execute or trust it. */
  readonly fixed: readonly string[];
  /** Files and folders that look empty. */
  readonly hidden: readonly string[];
  /** Readable again, although something above is hidden. */
  readonly shown: readonly string[];
  readonly network: "off" | "on";
  /** The folder that stands for /tmp. */
  readonly tmp: string;
};

/** A way to confine a command. */
export type Sandbox = { readonly name: string; wrap(confinement: Confinement): Wrap };

/** `because` is for the person, with the way out where there is one. */
export type SandboxFinding =
  | { readonly works: true; readonly sandbox: Sandbox }
  | { readonly works: false; readonly because: string };

/** Never from the person's PATH: a project may have put something there. */
export const sandboxPrograms = "/usr/bin:/bin:/usr/local/bin:/run/current-system/sw/bin";

let finding: Promise<SandboxFinding> | undefined;

/** Tried once, when it is first needed: a sandbox counts only when it really ran something. */
export function findSandbox(): Promise<SandboxFinding> {
  finding ??= tryAll();
  return finding;
}

async function tryAll(): Promise<SandboxFinding> {
  switch (process.platform) {
    case "linux":
      return (await import("./bubblewrap.ts")).tryBubblewrap();
    case "darwin":
      return (await import("./sandbox-exec.ts")).trySandboxExec();
    default:
      return { works: false, because: `there is none for ${process.platform}` };
  }
}

import { statSync } from "node:fs";
import { hostname, release } from "node:os";
import { findProgram } from "../find-program.ts";
import { readIfThere, replacePrivateFile } from "../private-files.ts";
import { findSandbox, sandboxPrograms } from "./sandbox.ts";

/**
 * Would a sandbox work here? Told from a few files, because running one takes longer than all else at the start; where these do not settle it, one is
 * run once and the answer remembered for this machine as it is now.
 */
export async function expectSandbox(stateFolder: string): Promise<boolean> {
  if (process.platform !== "linux") return (await findSandbox()).works;
  const program = findProgram("bwrap", sandboxPrograms);
  if (program === undefined) return false;
  const known = remembered(stateFolder);
  if (known && known.machine === describeMachine(program)) return known.works;
  const settled = settledByKernel();
  if (settled !== undefined) return settled;
  const { works } = await findSandbox();
  rememberSandbox(stateFolder, works);
  return works;
}

/** What really running one has shown. */
export function rememberSandbox(stateFolder: string, works: boolean): void {
  const program = findProgram("bwrap", sandboxPrograms);
  if (program === undefined) return;
  try {
    replacePrivateFile(fileIn(stateFolder), `${JSON.stringify({ machine: describeMachine(program), works })}\n`);
  } catch {
    // it is tried again next time
  }
}

const fileIn = (stateFolder: string) => `${stateFolder}/sandbox.json`;

function remembered(stateFolder: string): { readonly machine: unknown; readonly works: boolean } | undefined {
  try {
    const value: unknown = JSON.parse(readIfThere(fileIn(stateFolder)) ?? "null");
    if (typeof value !== "object" || value === null || !("works" in value) || !("machine" in value)) return undefined;
    return { machine: value.machine, works: value.works === true };
  } catch {
    return undefined;
  }
}

const kernelSwitches = [
  "/proc/sys/kernel/unprivileged_userns_clone",
  "/proc/sys/user/max_user_namespaces",
  "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
];

/** Everything that decides whether namespaces can be made; a home folder may be shared by several machines and containers. */
function describeMachine(program: string): string {
  const { mtimeMs } = statSync(program);
  const switches = kernelSwitches.map((path) => readIfThere(path)?.trim() ?? "");
  return [program, mtimeMs, process.getuid?.(), hostname(), release(), ...switches, ...statusOfProcess()].join(" ");
}

function statusOfProcess(): readonly string[] {
  const status = readIfThere("/proc/self/status") ?? "";
  const field = (name: string) => new RegExp(`^${name}:\\s*(\\S+)`, "m").exec(status)?.[1] ?? "";
  return [field("Seccomp"), field("CapEff"), field("NoNewPrivs")];
}

const adminBit = 1n << 21n;

/** Undefined where only trying tells. */
function settledByKernel(): boolean | undefined {
  const [clone, maximum, restricted] = kernelSwitches.map((path) => readIfThere(path)?.trim());
  const [seccomp, rights = ""] = statusOfProcess();
  if (seccomp !== "0" || !/^[\da-f]+$/.test(rights)) return undefined;
  if (process.getuid?.() === 0) return (BigInt(`0x${rights}`) & adminBit) !== 0n ? true : undefined;
  if (maximum === "0") return false;
  return clone !== "0" && (restricted === undefined || restricted === "0") ? true : undefined;
}

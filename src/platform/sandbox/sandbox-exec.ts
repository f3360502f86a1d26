import { accessSync, constants } from "node:fs";
import type { Confinement, Sandbox, SandboxFinding } from "./sandbox.ts";

const program = "/usr/bin/sandbox-exec";

const quoted = (path: string) => `"${path.replace(/["\\]/g, "\\$&")}"`;
const below = (paths: readonly string[]) => paths.map((path) => `(subpath ${quoted(path)})`).join(" ");

/** The last rule that fits decides. */
export function profileFor({ writable, fixed, hidden, shown, network, tmp }: Confinement): string {
  const rule = (words: string, paths: readonly string[]) => (paths.length === 0 ? [] : [`(${words} ${below(paths)})`]);
  return [
    "(version 1)",
    "(allow default)",
    "(deny file-write*)",
    ...rule("allow file-write*", [...writable, tmp, "/dev"]),
    ...rule("deny file-write*", fixed),
    ...rule("deny file-read* file-write*", hidden),
    ...rule("allow file-read*", shown),
    ...(network === "off" ? ["(deny network*)"] : []),
  ].join("\n");
}

/** Seatbelt, as macOS has it. Not tried on a machine yet: `doctor` says so. TMPDIR leads to the private folder, /tmp itself is read-only. */
export function trySandboxExec(): SandboxFinding {
  try {
    accessSync(program, constants.X_OK);
  } catch {
    return { works: false, because: `${program} is missing` };
  }
  const sandbox: Sandbox = {
    name: "sandbox-exec (untested)",
    wrap: (confinement) => (inner) => ({
      file: program,
      args: ["-p", profileFor(confinement), inner.file, ...inner.args],
      env: { ...inner.env, TMPDIR: confinement.tmp },
    }),
  };
  return { works: true, sandbox };
}

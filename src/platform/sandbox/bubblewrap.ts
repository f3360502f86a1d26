import { spawn } from "node:child_process";
import { statSync } from "node:fs";
import { dirname } from "node:path";
import { findProgram } from "../find-program.ts";
import { type Confinement, type Sandbox, type SandboxFinding, sandboxPrograms } from "./sandbox.ts";

/** What programs need from /run, which is otherwise empty: sockets in it lead out of any sandbox. */
const runNeeds = [
  "/run/systemd/resolve",
  "/run/current-system",
  "/run/opengl-driver",
  "/run/NetworkManager/resolv.conf",
];

/** A root without these could not write to a workspace that belongs to somebody else; none of them undoes a mount. */
const rootNeeds = ["CAP_DAC_OVERRIDE", "CAP_CHOWN", "CAP_FOWNER", "CAP_FSETID", "CAP_SETUID", "CAP_SETGID"];

type Mount = { readonly path: string; readonly args: readonly string[] };

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
}

/** What holds a mount can be renamed, unless it is one itself; then something else could take its place. */
function foldersAbove(path: string, roots: readonly string[]): readonly string[] {
  const folders: string[] = [];
  for (let at = dirname(path); roots.some((root) => root !== at && isInside(at, root)); at = dirname(at))
    folders.push(at);
  return folders;
}

/** Outer before inner, so that what is named more precisely decides. */
function mountsOf({ writable, fixed, hidden, shown, tmp, cwd }: Confinement): readonly string[] {
  const bind = (kind: string) => (path: string) => ({ path, args: [kind, path, path] });
  const hide = (path: string) => ({
    path,
    args: isFolder(path) ? ["--tmpfs", path] : ["--ro-bind", "/dev/null", path],
  });
  const mounts: Mount[] = [
    { path: "/tmp", args: ["--bind", tmp, "/tmp"] },
    ...writable.map(bind("--bind")),
    ...fixed.flatMap((path) => foldersAbove(path, writable)).map(bind("--bind")),
    ...fixed.map(bind("--ro-bind")),
    ...hidden.map(hide),
    ...shown.map(bind("--ro-bind")),
  ];
  const ordered = [...new Map(mounts.map((mount) => [mount.args.join("\0"), mount])).values()]
    .map((mount, at) => ({ ...mount, at }))
    .sort((a, b) => a.path.length - b.path.length || a.at - b.at);
  const folder = isInside(cwd, "/tmp") && !writable.some((root) => isInside(cwd, root)) ? ["--dir", cwd] : [];
  const sealed = hidden.filter(isFolder).flatMap((path) => ["--remount-ro", path]);
  return [...ordered.flatMap(({ args }) => args), ...sealed, ...folder];
}

const namespaces = ["--unshare-pid", "--unshare-ipc", "--die-with-parent", "--cap-drop", "ALL"];

function baseArguments(): readonly string[] {
  const rights = process.getuid?.() === 0 ? rootNeeds.flatMap((name) => ["--cap-add", name]) : [];
  const needs = runNeeds.flatMap((path) => ["--ro-bind-try", path, path]);
  const system = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/run", ...needs];
  return [...namespaces, ...rights, ...system, "--remount-ro", "/run"];
}

function create(bwrap: string): Sandbox {
  const base = baseArguments();
  return {
    name: "bubblewrap",
    wrap: (confinement) => (program) => ({
      ...program,
      file: bwrap,
      args: [
        ...base,
        ...(confinement.network === "off" ? ["--unshare-net"] : []),
        ...mountsOf(confinement),
        ...["--chdir", confinement.cwd, "--", program.file, ...program.args],
      ],
    }),
  };
}

function whyNot(said: string): string {
  if (/uid map|namespace|Operation not permitted|Permission denied/i.test(said) && !/proc/.test(said))
    return `user namespaces are forbidden here (${said}); allow them (sysctl kernel.apparmor_restrict_unprivileged_userns=0 or kernel.unprivileged_userns_clone=1), or in a container run it with --security-opt seccomp=unconfined`;
  return `bubblewrap does not run here: ${said}`;
}

const probeMs = 3_000;

export async function tryBubblewrap(path = sandboxPrograms): Promise<SandboxFinding> {
  const bwrap = findProgram("bwrap", path);
  if (bwrap === undefined)
    return { works: false, because: "bubblewrap is not installed: sudo apt install bubblewrap (or dnf, pacman -S)" };
  const args = [...baseArguments(), "--unshare-net", "--", "/bin/sh", "-c", ":"];
  const child = spawn(bwrap, args, { env: {}, cwd: "/", stdio: ["ignore", "ignore", "pipe"], timeout: probeMs });
  let said = "";
  child.stderr.on("data", (bytes) => (said += bytes));
  const code = await new Promise<number | null>((resolve) => {
    child.once("error", () => resolve(null));
    child.once("close", resolve);
  });
  if (code === 0) return { works: true, sandbox: create(bwrap) };
  return { works: false, because: whyNot(said.trim().split("\n").at(-1)?.slice(0, 200) || `it ended with ${code}`) };
}

import type { ToolContext } from "../contracts/tool.ts";
import type { Denial } from "../platform/sandbox/denials.ts";
import type { Confinement } from "../platform/sandbox/sandbox.ts";
import type { RunningShell, Wrap } from "../platform/shell.ts";

export type SandboxOptions = {
  readonly home: string;
  readonly stateFolder: string;
  readonly network: "off" | "on";
};

/** A command inside the sandbox, from its start to what is said about it. */
export type ConfinedCommand = {
  readonly wrap: Wrap;
  /** Put before the command. */
  readonly prelude: string;
  environment(env: Readonly<Record<string, string>>): Record<string, string>;
  /** Ends a command that fills its /tmp. */
  watch(running: RunningShell): void;
  /** Once, at the end. */
  close(printed: string, failed: boolean): { readonly denials: readonly Denial[]; readonly notes: readonly string[] };
};

/** Ways out of any sandbox, or to places that look different inside. */
const leadsOut = [
  "SSH_AUTH_SOCK",
  "DBUS_SESSION_BUS_ADDRESS",
  "XDG_RUNTIME_DIR",
  "DISPLAY",
  "WAYLAND_DISPLAY",
  "DOCKER_HOST",
];
const temporary = ["TMPDIR", "TMP", "TEMP"];

const leavesProcesses = /[^&>|<]&\s*($|[;)\n}])|\b(nohup|setsid|disown|daemonize)\b/;

/** Undefined where there is no sandbox. Nothing of it is loaded before the first command that needs it. */
export async function confineCommand(
  command: string,
  context: ToolContext,
  options: SandboxOptions,
): Promise<ConfinedCommand | undefined> {
  const [{ findSandbox }, places, tmp, { denialsOf }] = await Promise.all([
    import("../platform/sandbox/sandbox.ts"),
    import("../platform/sandbox/places.ts"),
    import("../platform/sandbox/private-tmp.ts"),
    import("../platform/sandbox/denials.ts"),
  ]);
  const found = await findSandbox();
  if (!found.works) return undefined;
  const { workspace, outputFolder } = context;
  const { home, stateFolder, network } = options;
  const writable = workspace.writableRoots;
  const folder = outputFolder();
  const confinement: Confinement = {
    cwd: workspace.cwd,
    writable,
    fixed: writable.flatMap(places.fixedPlaces),
    hidden: places.hiddenPlaces(home, stateFolder),
    shown: [folder, home.startsWith("/tmp/") ? home : undefined].filter(
      (path) => path !== undefined && !writable.includes(path),
    ) as string[],
    network,
    tmp: tmp.privateTmp(),
  };
  const missing = writable.flatMap(places.missingPlaces);
  let stopWatching = () => {};
  let isFull = false;
  return {
    wrap: found.sandbox.wrap(confinement),
    prelude: `ulimit -f ${tmp.tmpLimitBytes / 1024} 2>/dev/null; `,
    environment(env) {
      const out = new Set([...leadsOut, ...temporary]);
      return Object.fromEntries(Object.entries(env).filter(([name]) => !out.has(name)));
    },
    watch(running) {
      stopWatching = tmp.watchPrivateTmp(confinement.tmp, () => {
        isFull = true;
        running.end("stopped");
      });
      void running.finished.finally(stopWatching);
    },
    close(printed, failed) {
      stopWatching();
      if (isFull) tmp.emptyPrivateTmp(confinement.tmp);
      const denials = denialsOf({ command, printed, failed, home, confinement });
      const full: Denial[] = isFull ? [{ what: "size", text: "its /tmp was full (1 GB) and has been emptied" }] : [];
      const still = new Set(writable.flatMap(places.missingPlaces));
      const made = missing.filter((path) => !still.has(path));
      return {
        denials: [...full, ...denials],
        notes: [leftNote(command), madeNote(made)].filter((note) => note !== ""),
      };
    },
  };
}

function leftNote(command: string): string {
  return leavesProcesses.test(command)
    ? "[sandbox: what a command leaves in the background ends with it; use run_in_background]"
    : "";
}

function madeNote(made: readonly string[]): string {
  return made.length === 0
    ? ""
    : `[sandbox: ${made.join(", ")} is new, and other programs run or trust it: tell the user]`;
}

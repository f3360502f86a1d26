import type { Verdict } from "../contracts/permission.ts";
import type { ToolContext } from "../contracts/tool.ts";
import type { Denial } from "../platform/sandbox/denials.ts";
import type { Confinement } from "../platform/sandbox/sandbox.ts";
import type { SetAside } from "../platform/sandbox/set-aside.ts";
import type { RunningShell, Wrap } from "../platform/shell.ts";

export type SandboxOptions = {
  readonly home: string;
  readonly stateFolder: string;
  readonly network: "off" | "on";
  /** With the network off: hosts that may be reached through a proxy. */
  readonly hosts?: ReachableHosts;
};

export type ReachableHosts = {
  /** What the person's rules say about a host; undefined when nothing. */
  decide(host: string, port: number): { readonly verdict: Verdict; readonly rule: string } | undefined;
  /** What the person said about hosts in this session. */
  readonly answers: Map<string, "yes" | "no">;
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
  const [{ findSandbox }, places, tmp, aside, { denialsOf }] = await Promise.all([
    import("../platform/sandbox/sandbox.ts"),
    import("../platform/sandbox/places.ts"),
    import("../platform/sandbox/private-tmp.ts"),
    import("../platform/sandbox/set-aside.ts"),
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
  const findNew = aside.watchTrustedNames(writable);
  const setAside: SetAside[] = [];
  const reach =
    network === "off" && options.hosts ? await openHosts(options.hosts, context, confinement.tmp) : undefined;
  let stopWatching = () => {};
  let isFull = false;
  return {
    wrap: found.sandbox.wrap(confinement),
    prelude: `${reach?.prelude ?? ""}ulimit -f ${tmp.tmpLimitBytes / 1024} 2>/dev/null; `,
    environment(env) {
      const out = new Set([...leadsOut, ...temporary]);
      return { ...Object.fromEntries(Object.entries(env).filter(([name]) => !out.has(name))), ...reach?.variables };
    },
    watch(running) {
      stopWatching = tmp.watchPrivateTmp(confinement.tmp, () => {
        isFull = true;
        running.end("stopped");
      });
      void running.finished.finally(() => {
        stopWatching();
        reach?.close();
        setAside.push(...findNew());
      });
    },
    close(printed, failed) {
      stopWatching();
      if (isFull) tmp.emptyPrivateTmp(confinement.tmp);
      setAside.push(...findNew());
      const found = denialsOf({ command, printed, failed, home, confinement });
      const refusals = reach?.notes() ?? [];
      const denials = refusals.length > 0 ? found.filter(({ what }) => what !== "network") : found;
      const full: Denial[] = isFull ? [{ what: "size", text: "its /tmp was full (1 GB) and has been emptied" }] : [];
      return {
        denials: [...full, ...denials],
        notes: [...refusals, leftNote(command), ...setAside.map(asideNote)].filter((note) => note !== ""),
      };
    },
  };
}

function leftNote(command: string): string {
  return leavesProcesses.test(command)
    ? "[sandbox: what a command leaves in the background ends with it; use run_in_background]"
    : "";
}

function asideNote({ from, to }: SetAside): string {
  return `[sandbox: ${from} is new, and other programs run or trust such a file: it is now ${to}; tell the user, or make it with write_file]`;
}

/** A way out to the hosts that rules allow; the others are asked about where somebody can be asked. */
async function openHosts(hosts: ReachableHosts, context: ToolContext, folder: string) {
  const { startHostProxy, proxyVariables } = await import("../platform/sandbox/host-proxy.ts");
  const refused = new Map<string, string>();

  async function mayReach(host: string, port: number): Promise<string | undefined> {
    const target = `${host}:${port}`;
    const ruled = hosts.decide(host, port);
    if (ruled?.verdict === "allow" || hosts.answers.get(target) === "yes") return undefined;
    const refusal = ruled?.verdict === "deny" ? `refused by ${ruled.rule}` : await askFor(target);
    if (refusal !== undefined) refused.set(target, refusal);
    return refusal;
  }

  async function askFor(target: string): Promise<string | undefined> {
    if (hosts.answers.get(target) === "no") return "the user said no";
    const refusal = await context.approve?.(`it wants to reach ${target} from the sandbox`);
    if (context.approve === undefined || context.signal.aborted) return "no rule allows it";
    hosts.answers.set(target, refusal === undefined ? "yes" : "no");
    return refusal === undefined ? undefined : "no rule allows it, and nobody did";
  }

  const { prelude, close } = await startHostProxy(folder, mayReach);
  const notes = () =>
    [...refused].map(([target, refusal]) => `[sandbox: ${target} was not reached: ${refusal}; see network(…) rules]`);
  return { prelude, close, notes, variables: proxyVariables };
}

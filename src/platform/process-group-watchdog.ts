import { type ChildProcess, spawn } from "node:child_process";

/**
 * Reads until the pipe to this process closes, however it ended (kill -9 too), then ends the groups that were alive (`+pid`, `-pid`) and
 * everything that carries the mark, with what descends from them, and removes the folders that were named.
 */
const script = `mark=$1; set --; leaders=' '
while IFS= read -r line; do
  case $line in
    +*) leaders="$leaders\${line#+} ";;
    -*) pid=" \${line#-} "; case $leaders in *"$pid"*) leaders="\${leaders%%"$pid"*} \${leaders#*"$pid"}";; esac;;
    *) set -- "$@" "$line";;
  esac
done
below() { for child in $(cat /proc/$1/task/*/children 2>/dev/null); do echo $child; below $child; done; }
alive() {
  for pid in $leaders; do kill -s 0 -- -$pid 2>/dev/null && echo -$pid; below $pid; done
  grep -lsaF -e "$mark" /proc/[0-9]*/environ | while IFS=/ read -r _ _ pid _; do echo $pid; below $pid; done
}
signal=TERM
for round in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
  left=$(alive)
  [ -z "$left" ] && break
  kill -s $signal -- $left 2>/dev/null
  [ $round -ge 5 ] && signal=KILL
  sleep 0.1
done
for folder; do case $folder in */corecoder-*) rm -rf -- "$folder";; esac; done`;

let watchdog: ChildProcess | undefined;

/** Once for this process. It has a session of its own, so that no signal for ours reaches it. */
export function startWatchdog(mark: string): void {
  if (watchdog !== undefined) return;
  watchdog = spawn("/bin/sh", ["-c", script, "sh", mark], {
    cwd: "/",
    env: { PATH: "/usr/local/bin:/usr/bin:/bin" },
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  watchdog.on("error", () => undefined).unref();
  watchdog.stdin?.on("error", () => undefined);
  (watchdog.stdin as unknown as { unref?(): void } | null)?.unref?.();
}

export function watchGroup(leader: number): void {
  watchdog?.stdin?.write(`+${leader}\n`);
}

export function unwatchGroup(leader: number): void {
  watchdog?.stdin?.write(`-${leader}\n`);
}

/** A folder of ours (`corecoder-…`) that must not outlive this process. */
export function removeAtDeath(folder: string): void {
  if (/^\/[^\n]*$/.test(folder)) watchdog?.stdin?.write(`${folder}\n`);
}

import { isProtected } from "../protected-paths.ts";
import { catchesSecret, isSecretPath } from "../secret-paths.ts";
import { asks, asksToReadSecret, asksToWriteInside, denies, type Finding, reads, worse } from "./finding.ts";
import type { Place, Places } from "./places.ts";
import type { ShellState } from "./shell-state.ts";
import { isStatic, type Value } from "./value.ts";

const outputDevices = /^\/dev\/(null|zero|full|tty|stdout|stderr|fd\/\d+|pts\/\d+)$/;
const inputDevices = /^\/dev\/(null|zero|full|tty|random|urandom|stdin|fd\/\d+|shm\/.*)$/;
const networkDevices = /^\/dev\/(tcp|udp)(\/|$)/;
const kernelControls = /^\/(sys\/|proc\/(sys\/|sysrq-trigger))/;

const readsFiles = reads("only reads");

export function isNetworkDevice(value: Value): boolean {
  return networkDevices.test(value.text);
}

/** Reading the content of what `value` names. */
export function judgeRead(places: Places, value: Value, state: ShellState): Finding {
  if (value.text === "-") return readsFiles;
  if (isSecretPath(value.text) || catchesSecret(value.text)) return secretRead(value.text);
  if (value.unknownAt >= 0) return asks("reads a file that is known only when it runs");
  if (networkDevices.test(value.text)) return asks(`opens a network connection, ${value.text}`);
  if (state.folders === undefined && !value.text.startsWith("/")) {
    return asks("reads a file in a folder that is known only when it runs");
  }
  const found = places.locate(value, state, "followed");
  for (const { path } of found ?? []) {
    if (isSecretPath(path)) return secretRead(path);
    if (path.startsWith("/dev/") && !inputDevices.test(path)) return asks(`reads the device ${path}`);
  }
  return readsFiles;
}

function secretRead(path: string): Finding {
  return asksToReadSecret(`reads ${path}, which likely holds a secret`);
}

/** Creating, changing or replacing what `value` names. */
export function judgeWrite(places: Places, value: Value, state: ShellState): Finding {
  if (isStatic(value) && outputDevices.test(value.text)) return readsFiles;
  return judgeEach(places, places.locate(value, state, "followed"), (place) => writeTo(places, place, value));
}

function writeTo(places: Places, place: Place, value: Value): Finding {
  const { path } = place;
  if (outputDevices.test(path)) return readsFiles;
  if (places.isGuard(path)) return denies(`changes ${path}: these settings decide what may run unasked`);
  if (kernelControls.test(path)) return denies(`writes to ${path}, a control of the running machine`);
  if (networkDevices.test(path)) return asks(`opens a network connection, ${path}`);
  if (path.startsWith("/dev/") && !path.startsWith("/dev/shm/")) return denies(`overwrites the device ${path}`);
  if (place.pattern !== undefined) return asks(`writes to ${value.text}…, which is known only when it runs`);
  return changeInside(places, path, "writes") ?? asks(`writes ${path}, outside the workspace`);
}

/** Deleting what `value` names, with everything in it. */
export function judgeRemoval(places: Places, value: Value, state: ShellState): Finding {
  return judgeEach(places, places.locate(value, state, "itself"), (place) => remove(places, place));
}

function remove(places: Places, place: Place): Finding {
  const { path, pattern } = place;
  const shown = pattern === undefined ? path : `${path === "/" ? "" : path}/${pattern}`;
  if (places.isVital(place)) return denies(`deletes ${shown}`);
  if (places.isGuard(path)) return denies(`deletes ${shown}: these settings decide what may run unasked`);
  if (path.startsWith("/dev/")) return denies(`deletes the device ${shown}`);
  if (places.isTemporary(place)) return asks(`deletes ${shown}, outside the workspace`);
  if (places.rootOf(path) === undefined) return denies(`deletes ${shown}, outside the workspace`);
  if (pattern === undefined) return changeInside(places, path, "deletes") ?? asks(`deletes ${shown}`);
  // A pattern is safe to act on when it stays in one named folder of the workspace and cannot match a hidden name.
  const staysInFolder = /^[^./*?[][^/]*$|^\*([^*/][^/]*)?$/.test(pattern);
  const inFolder = changeInside(places, path, "deletes in");
  return staysInFolder && inFolder ? inFolder : asks(`deletes ${shown}`);
}

/** Undefined outside the workspace. */
function changeInside(places: Places, path: string, verb: string): Finding | undefined {
  const root = places.rootOf(path);
  if (root === undefined) return undefined;
  if (isProtected(path, root)) return asks(`${verb} ${path}, which other tools execute or trust`);
  if (path === root) return asks(`${verb} the workspace folder as a whole`);
  return asksToWriteInside(`${verb} ${path}`);
}

function judgeEach(places: Places, found: readonly Place[] | undefined, judge: (place: Place) => Finding): Finding {
  if (found === undefined) return asks("changes a path that is known only when it runs");
  return found.map(judge).reduce(worse);
}

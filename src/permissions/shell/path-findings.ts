import { isProtected } from "../protected-paths.ts";
import { catchesSecret, isSecretPath } from "../secret-paths.ts";
import {
  asks,
  asksToLoseWork,
  asksToReadSecret,
  asksToWriteInside,
  denies,
  type Finding,
  reads,
  worse,
} from "./finding.ts";
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
  if (value.unknownAt >= 0) return asks("it reads a file that is known only when it runs");
  if (networkDevices.test(value.text)) return asks(`it opens a network connection, ${value.text}`);
  if (state.folders === undefined && !value.text.startsWith("/")) {
    return asks("it reads a file in a folder that is known only when it runs");
  }
  const found = places.locate(value, state, "followed");
  if (found === undefined) return asks(`it reads ${value.text}, which cannot be followed to where it leads`);
  for (const { path } of found) {
    if (isSecretPath(path)) return secretRead(path);
    if (places.holdsHome(path)) return asksToReadSecret(`it reads all of ${path}, where keys and passwords lie`);
    if (path.startsWith("/dev/") && !inputDevices.test(path)) return asks(`it reads the device ${path}`);
  }
  return readsFiles;
}

function secretRead(path: string): Finding {
  return asksToReadSecret(`it reads ${path}, which likely holds a secret`);
}

/** Creating, changing or replacing what `value` names. */
export function judgeWrite(places: Places, value: Value, state: ShellState): Finding {
  if (isStatic(value) && outputDevices.test(value.text)) return readsFiles;
  return judgeEach(places.locate(value, state, "followed"), (place) => writeTo(places, place, value));
}

function writeTo(places: Places, place: Place, value: Value): Finding {
  const { path } = place;
  if (outputDevices.test(path)) return readsFiles;
  if (places.isGuard(path)) return denies(`it changes ${path}: these settings decide what may run unasked`);
  if (kernelControls.test(path)) return denies(`it writes to ${path}, a control of the running machine`);
  if (networkDevices.test(path)) return asks(`it opens a network connection, ${path}`);
  if (path.startsWith("/dev/") && !path.startsWith("/dev/shm/")) return denies(`it overwrites the device ${path}`);
  if (place.pattern !== undefined) return asks(`it writes to ${value.text}…, which is known only when it runs`);
  return changeInside(places, path, "writes") ?? asks(`it writes ${path}, outside the workspace`);
}

/** Deleting what `value` names, with everything in it. */
export function judgeRemoval(places: Places, value: Value, state: ShellState): Finding {
  return judgeEach(places.locate(value, state, "itself"), (place) => remove(places, place));
}

function remove(places: Places, place: Place): Finding {
  const { path, pattern } = place;
  const shown = pattern === undefined ? path : `${path === "/" ? "" : path}/${pattern}`;
  if (places.isVital(place)) return denies(`it deletes ${shown}`);
  if (places.isGuard(path)) return denies(`it deletes ${shown}: these settings decide what may run unasked`);
  if (path.startsWith("/dev/")) return denies(`it deletes the device ${shown}`);
  if (places.isTemporary(place)) return asks(`it deletes ${shown}, outside the workspace`);
  if (places.rootOf(path) === undefined) return denies(`it deletes ${shown}, outside the workspace`);
  if (pattern === undefined) return changeInside(places, path, "deletes") ?? asks(`it deletes ${shown}`);
  // A pattern is safe to act on when it stays in one named folder of the workspace and cannot match a hidden name.
  const staysInFolder = /^[^./*?[][^/]*$|^\*([^*/][^/]*)?$/.test(pattern);
  const inFolder = changeInside(places, path, "deletes in");
  return staysInFolder && inFolder ? inFolder : asks(`it deletes ${shown}`);
}

/** Undefined outside the workspace. */
function changeInside(places: Places, path: string, verb: string): Finding | undefined {
  const root = places.rootOf(path);
  if (root === undefined) return undefined;
  if (isProtected(path, root)) return asks(`it ${verb} ${path}, which other tools execute or trust`);
  if (path === root) {
    const reason = `it ${verb} the workspace folder as a whole`;
    return verb === "writes" ? asks(reason) : asksToLoseWork(reason);
  }
  return asksToWriteInside(`it ${verb} ${path}`);
}

function judgeEach(found: readonly Place[] | undefined, judge: (place: Place) => Finding): Finding {
  if (found === undefined) return asks("it changes a path that is known only when it runs");
  return found.map(judge).reduce(worse);
}

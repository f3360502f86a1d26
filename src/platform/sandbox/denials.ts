import { resolve } from "node:path";
import type { Confinement } from "./sandbox.ts";

export type Denial = { readonly what: "write" | "read" | "network" | "size" | "rights"; readonly text: string };

export type Confined = {
  readonly command: string;
  readonly printed: string;
  readonly failed: boolean;
  readonly home: string;
  readonly confinement: Confinement;
};

const refusedWrite = /read-only file system|EROFS|errno 30\b/i;
const noNetwork =
  /network is unreachable|\bE(NETUNREACH|NETDOWN|AI_AGAIN|NOTFOUND|CONNREFUSED)\b|temporary failure in name resolution|could not resolve|name or service not known|unknown host|no route to host|unable to look up|failed to lookup address|connection refused/i;
const tooLarge = /file too large|EFBIG|file size limit exceeded/i;
const noRights =
  /no new privileges|must be (setuid|owned by uid 0)|operation not permitted|cannot connect to the docker daemon|docker\.sock/i;

/** What a sandbox kept a command from, told by what it printed and by what it was not given. */
export function denialsOf(confined: Confined): readonly Denial[] {
  const { printed, failed, confinement } = confined;
  const found: Denial[] = [];
  if (refusedWrite.test(printed)) {
    found.push({ what: "write", text: refusalOf(pathOf(printed), confinement) });
  }
  const hidden = hiddenIn(confined);
  if (hidden) found.push({ what: "read", text: `${hidden} is hidden from commands` });
  if (failed && confinement.network === "off" && noNetwork.test(printed))
    found.push({ what: "network", text: "there is no network, neither outside nor to this machine's own servers" });
  if (failed && tooLarge.test(printed)) found.push({ what: "size", text: "no file may be larger than 1 GB" });
  if (failed && noRights.test(printed))
    found.push({ what: "rights", text: "nothing may gain rights or reach system services" });
  return found;
}

/** `touch: cannot touch '/x': Read-only file system`, `bash: /x: Read-only …`, `EROFS: …, open '/x'`. */
function pathOf(printed: string): string | undefined {
  const line = printed.split("\n").find((text) => refusedWrite.test(text)) ?? "";
  const quoted = /['"‘]([^'"’\n]+)['"’]/.exec(line)?.[1];
  return quoted ?? /(?:^|\s)([^\s:]+): read-only/i.exec(line)?.[1];
}

function refusalOf(path: string | undefined, { cwd, writable, fixed }: Confinement): string {
  const where = `it may write in ${[...writable, "/tmp (private)"].join(", ")}`;
  if (path === undefined) return `a write was refused; ${where}`;
  const target = resolve(cwd, path);
  const isFixed = fixed.some((place) => target === place || target.startsWith(`${place}/`));
  return `writing ${path} was refused; ${isFixed ? "other programs run or trust what is in it" : where}`;
}

/** The hidden place that command or output names, in whatever way the home folder is written. */
function hiddenIn({ command, printed, home, confinement }: Confined): string | undefined {
  const text = `${command}\n${printed}`.replace(/~(?=\/)|\$\{?HOME\}?/g, home);
  return confinement.hidden.find((path) => {
    const at = text.indexOf(path);
    return (
      at >= 0 &&
      !/[\w.-]/.test(text.charAt(at + path.length)) &&
      !confinement.shown.some((shown) => shown.length > path.length && text.startsWith(shown, at))
    );
  });
}

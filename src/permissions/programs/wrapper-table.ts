import type { OptionGrammar } from "./options.ts";

/** A program whose arguments are another command. The class of that command is never lowered by wrapping it. */
export type Wrapper = {
  readonly options: OptionGrammar;
  /** Operands of its own before the command. */
  readonly ownOperands?: number;
  /** `NAME=VALUE` may stand before the command. */
  readonly assignments?: true;
  /** Why it is asked about even around a harmless command. */
  readonly asksBecause?: string;
};

const otherUser = "runs with the rights of another user";
const detaches = "leaves something running";
const notUnderstood = "changes how the command runs";

export const wrapperTable: Readonly<Record<string, Wrapper>> = {
  env: { options: { short: "0iu:v", long: "ignore-environment null unset= debug" }, assignments: true },
  time: { options: { short: "pv", long: "portability verbose" } },
  nice: { options: { short: "n:", long: "adjustment=", number: true } },
  ionice: { options: { short: "c:n:t", long: "class= classdata= ignore" } },
  nohup: { options: {} },
  timeout: {
    options: { short: "fpvk:s:", long: "foreground kill-after= preserve-status signal= verbose" },
    ownOperands: 1,
  },
  stdbuf: { options: { short: "e:i:o:", long: "error= input= output=" } },
  builtin: { options: {} },
  unbuffer: { options: { short: "p" } },

  exec: { options: { short: "cla:" }, asksBecause: "replaces the shell" },
  sudo: {
    options: {
      short: "AbBEHkKlNnPSsVvC:D:g:h:p:R:r:T:t:U:u:i",
      long: "askpass background bell chdir= group= host= login non-interactive preserve-env=? prompt= shell stdin user=",
    },
    assignments: true,
    asksBecause: otherUser,
  },
  doas: { options: { short: "Lnsa:C:u:" }, asksBecause: otherUser },
  pkexec: { options: { long: "user= keep-cwd" }, asksBecause: otherUser },
  runuser: { options: { short: "u:g:l" }, asksBecause: otherUser },
  setsid: { options: { short: "cfw", long: "ctty fork wait" }, asksBecause: detaches },
  "systemd-run": {
    options: { short: "dGPqrStp:u:M:H:", long: "scope user pty wait collect unit= property=" },
    asksBecause: detaches,
  },
  chroot: { options: { long: "userspec= groups= skip-chdir" }, ownOperands: 1, asksBecause: notUnderstood },
  unshare: {
    options: { short: "CfiImnpruUT", long: "fork map-root-user mount net pid user" },
    asksBecause: notUnderstood,
  },
  nsenter: { options: { short: "aCimnpruUt:", long: "all target=" }, asksBecause: notUnderstood },
  taskset: { options: { short: "ac" }, ownOperands: 1, asksBecause: notUnderstood },
  chrt: { options: { short: "abdfior" }, ownOperands: 1, asksBecause: notUnderstood },
  flock: {
    options: { short: "exsunoFw:E:", long: "exclusive nonblock shared wait=" },
    ownOperands: 1,
    asksBecause: notUnderstood,
  },
  strace: { options: { short: "fqvxyTtre:o:p:s:" }, asksBecause: notUnderstood },
  ltrace: { options: { short: "fSe:o:p:s:" }, asksBecause: notUnderstood },
  watch: { options: { short: "bcdegptxn:", long: "interval= color exec" }, asksBecause: "never ends by itself" },
  busybox: { options: {}, asksBecause: notUnderstood },
  toybox: { options: {}, asksBecause: notUnderstood },
  parallel: { options: { short: "j:kn:N:0", long: "jobs= keep-order" }, asksBecause: notUnderstood },
  caffeinate: { options: { short: "dimsu" }, asksBecause: notUnderstood },
};

/** Programs that are handed a script as text: which of their words make it up. */
export const scriptTable: Readonly<Record<string, "all" | "first" | { readonly after: readonly string[] }>> = {
  eval: "all",
  watch: "all",
  trap: "first",
  su: { after: ["-c", "--command"] },
  script: { after: ["-c", "--command"] },
  sg: { after: ["-c"] },
  flock: { after: ["-c", "--command"] },
  env: { after: ["-S", "--split-string"] },
  runuser: { after: ["-c", "--command"] },
};

export const shellPrograms: ReadonlySet<string> = new Set([
  ...["bash", "sh", "dash", "zsh", "ksh", "mksh", "ash", "fish", "csh", "tcsh", "rbash"],
]);

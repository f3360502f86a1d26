import { isSecretPath } from "../secret-paths.ts";
import type { Call, Judge } from "../shell/judge.ts";
import { judgeRead } from "../shell/path-findings.ts";
import { dropFirst, type Value } from "../shell/value.ts";
import { lookUp } from "./look-up.ts";

/** A program that sends what it is given over the network. */
type Sender = {
  /** Options that say how to prove who one is, where to put an answer, or what to leave out: their values are not sent. */
  readonly keeps?: readonly string[];
  /** The last word is where a copy goes to. */
  readonly copies?: true;
  /** Its words are for the other side; only standard input is sent. */
  readonly remote?: true;
};

const senders: Readonly<Record<string, Sender>> = {
  curl: { keeps: ["-E", "-o", "-c", "--cert", "--key", "--cacert", "--netrc-file", "--output", "--cookie-jar"] },
  wget: { keeps: ["-O", "-o", "--certificate", "--private-key", "--ca-certificate", "--output-document"] },
  http: { keeps: ["-o", "--output", "--cert", "--cert-key"] },
  https: { keeps: ["-o", "--output", "--cert", "--cert-key"] },
  xh: { keeps: ["-o", "--output", "--cert", "--cert-key"] },
  ssh: { remote: true },
  scp: { keeps: ["-i", "-F"], copies: true },
  sftp: { keeps: ["-i", "-F"] },
  rsync: { keeps: ["-e", "--rsh", "--exclude", "--include", "--filter", "--exclude-from"], copies: true },
  aws: { keeps: ["--exclude", "--include"], copies: true },
  gsutil: { keeps: ["-x"], copies: true },
  gcloud: { keeps: ["--key-file"], copies: true },
  az: { copies: true },
  rclone: { keeps: ["--config", "--exclude", "--include"], copies: true },
  s3cmd: { keeps: ["-c", "--config", "--exclude"], copies: true },
  nc: {},
  ncat: { keeps: ["--ssl-cert", "--ssl-key"] },
  netcat: {},
  socat: {},
  telnet: {},
  ftp: {},
  lftp: {},
  tftp: {},
  mail: {},
  mutt: {},
  sendmail: {},
  dig: {},
  host: {},
  nslookup: {},
  ping: {},
};

/** Sends the content of a likely secret, or what a shell answers, over the network? */
export function sendsSecret(call: Call, judge: Judge): string | undefined {
  const sender = lookUp(senders, call.program);
  if (sender === undefined) return undefined;
  if (call.stdin.secret) return `${call.program} sends the content of a likely secret`;
  if (call.stdin.fromShell && /^(nc|ncat|netcat|socat|telnet)$/.test(call.program))
    return "it hands a shell to the network";
  if (sender.remote) return undefined;
  const words = sender.copies ? call.args.slice(0, -1) : call.args;
  const secret = words.find((word, at) => !isKept(word, call.args[at - 1], sender) && namesSecret(word, call, judge));
  return secret && `${call.program} sends ${secret.text}, which likely holds a secret`;
}

function isKept(word: Value, before: Value | undefined, { keeps = [] }: Sender): boolean {
  const [name = ""] = word.text.split("=");
  return keeps.includes(name) || (before !== undefined && keeps.includes(before.text));
}

/** A word that names a local file: itself, or behind `@` or `=`. Something like `host:path` or a URL names no local one. */
export function namesSecret(word: Value, call: Call, judge: Judge): boolean {
  if (/^[\w.@-]+:/.test(word.text)) return false;
  const cut = Math.max(word.text.lastIndexOf("@"), word.text.indexOf("="));
  const file = cut >= 0 ? dropFirst(word, cut + 1) : word;
  if (isSecretPath(file.text)) return true;
  return file.text[0] !== "-" && judgeRead(judge.places, file, call.state).secret === true;
}

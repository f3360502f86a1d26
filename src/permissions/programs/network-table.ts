import { isSecretPath } from "../secret-paths.ts";
import type { Call, Judge } from "../shell/judge.ts";
import { judgeRead } from "../shell/path-findings.ts";
import { dropFirst, type Value } from "../shell/value.ts";
import { lookUp } from "./look-up.ts";

/** Programs that send what they are given over the network, and the options that only say how to prove who one is. */
const senders: Readonly<Record<string, readonly string[]>> = {
  curl: ["--cert", "--key", "--cacert", "--capath", "--netrc-file", "-E", "--pubkey"],
  wget: ["--certificate", "--private-key", "--ca-certificate"],
  http: ["--cert", "--cert-key"],
  https: ["--cert", "--cert-key"],
  xh: ["--cert", "--cert-key"],
  ssh: ["-i", "-F"],
  scp: ["-i", "-F"],
  sftp: ["-i", "-F"],
  rsync: ["-e", "--rsh"],
  aws: [],
  gcloud: ["--key-file"],
  gsutil: [],
  az: [],
  rclone: ["--config"],
  s3cmd: ["-c", "--config"],
  nc: [],
  ncat: ["--ssl-cert", "--ssl-key"],
  netcat: [],
  socat: [],
  telnet: [],
  ftp: [],
  lftp: [],
  tftp: [],
  mail: [],
  mutt: [],
  sendmail: [],
  dig: [],
  host: [],
  nslookup: [],
  ping: [],
  gh: [],
};

/** Sends the content of a likely secret, or what a shell answers, over the network? */
export function sendsSecret(call: Call, judge: Judge): string | undefined {
  const credentials = lookUp(senders, call.program);
  if (credentials === undefined) return undefined;
  if (call.stdin.secret) return `${call.program} sends the content of a likely secret`;
  if (call.stdin.fromShell && /^(nc|ncat|netcat|socat|telnet)$/.test(call.program))
    return "it hands a shell to the network";
  const secret = call.args.find(
    (word, at) => !isCredential(word, call.args[at - 1], credentials) && namesSecret(word, call, judge),
  );
  return secret && `${call.program} sends ${secret.text}, which likely holds a secret`;
}

function isCredential(word: Value, before: Value | undefined, credentials: readonly string[]): boolean {
  const [name = ""] = word.text.split("=");
  return credentials.includes(name) || (before !== undefined && credentials.includes(before.text));
}

/** A word that names a local file: itself, or behind `@` or `=`. Something like `host:path` or a URL names no local one. */
export function namesSecret(word: Value, call: Call, judge: Judge): boolean {
  if (/^[\w.@-]+:/.test(word.text)) return false;
  const cut = Math.max(word.text.lastIndexOf("@"), word.text.indexOf("="));
  const file = cut >= 0 ? dropFirst(word, cut + 1) : word;
  return isSecretPath(file.text) || judgeRead(judge.places, file, call.state).secret === true;
}

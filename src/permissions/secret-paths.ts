import { matchesName } from "./match-name.ts";
import { foldName } from "./protected-paths.ts";

/** Files that likely hold keys, passwords or tokens, by name. */
const secretNames = [
  /^\.env(\..+)?$/,
  /^\.envrc$/,
  /^id_(rsa|dsa|ecdsa|ed25519)(_sk)?([._-].*)?$/,
  /\.(pem|key|p12|pfx|ppk|jks|keystore|kdbx)$/,
  /^[._]?netrc$/,
  /^\.(npmrc|pypirc|pgpass|my\.cnf|git-credentials|htpasswd|dockercfg|vault-token|s3cfg|boto)$/,
  /^\.?(credentials|secrets?)(\.(json|ya?ml|toml|ini|txt|env))?$/,
  /^\.\w+_history$/,
  /^(g?shadow|sudoers)-?$/,
  /^service[-_]?account.*\.json$/,
];

/** Same shapes, but made to be read. */
const harmlessNames = /(\.(example|sample|template|dist|defaults?|schema|pub)|^known_hosts)$/;

/** Folders in which everything counts. */
const secretFolders = new Set([".ssh", ".gnupg", ".aws", ".azure", ".kube", ".password-store", ".gcloud", "keychains"]);

/** The same, where only the whole tail tells; `*` is one name. */
const secretTails = [
  /(^|\/)\.config\/(gcloud|gh|op|rclone|sops|hub)(\/|$)/,
  /(^|\/)\.docker\/config\.json$/,
  /(^|\/)\.corecoder\/[^/]+$/,
  /(^|\/)\.local\/share\/keyrings(\/|$)/,
  /^\/proc\/[^/]+\/(environ|mem|maps|auxv)$/,
  /^\/proc\/kcore$/,
  /^\/etc\/ssh\/.*_key$/,
];

const anyOf = (shapes: readonly RegExp[]) => new RegExp(shapes.map(({ source }) => source).join("|"));
const secretName = anyOf(secretNames);
const secretTail = anyOf(secretTails);

/** What a pattern is tried on: does it catch a secret? */
const samples = [
  ...[".env", ".env.local", "id_rsa", "id_ed25519", "server.pem", "server.key", ".netrc", ".npmrc", ".pgpass"],
  ...[".git-credentials", ".bash_history", "credentials", "environ", "shadow", ...secretFolders],
];

const secretFolder = new RegExp(`(?:^|/)(?:${[...secretFolders].join("|").replaceAll(".", "\\.")})(?:/|$)`);

/** `path` absolute and normalised, or a relative one; by its look alone. */
export function isSecretPath(path: string): boolean {
  const folded = foldName(path);
  const last = lastName(folded);
  if (harmlessNames.test(last)) return false;
  if (secretName.test(last)) return true;
  return secretFolder.test(folded) || (last.length < folded.length && secretTail.test(folded));
}

function lastName(path: string): string {
  let end = path.length;
  while (end > 0 && path[end - 1] === "/") end--;
  return path.slice(path.lastIndexOf("/", end - 1) + 1, end);
}

/** Would the file name pattern also match a secret? A bare `*` does not count: it names nothing in particular. */
export function catchesSecret(pattern: string): boolean {
  if (!/[*?[]/.test(pattern)) return false;
  if (pattern.length > 500) return true;
  return foldName(pattern)
    .split("/")
    .filter((name) => /[*?[]/.test(name) && !/^\*+$/.test(name))
    .some((name) => samples.some((sample) => matchesName(name, sample)));
}

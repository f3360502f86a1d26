/**
 * Takes secrets out of text that leaves the machine or is kept for long. They are told by their shape, so that code, hashes and ids stay
 * as they are. Linear in the length: every pattern starts at a literal, and what it repeats is bounded or read once.
 */
export function maskSecrets(text: string): string {
  let masked = text;
  for (const { sign, mask } of masks) if (sign.test(masked)) masked = mask(masked);
  return masked;
}

const hidden = "[masked]";

/** Keys that name their owner: the prefix stays, since it says what was there. */
const namedKeys: readonly (readonly [prefix: string, rest: string])[] = [
  ["gh[pousr]_", "[A-Za-z0-9]{20,}"],
  ["github_pat_", "[A-Za-z0-9_]{20,}"],
  ["gl(?:pat|ptt|dt|rt|cbt|soat)-", "[A-Za-z0-9_.-]{16,}"],
  ["A(?:KIA|SIA|BIA|CCA)", "[A-Z0-9]{16}\\b"],
  ["AIza", "[A-Za-z0-9_-]{30,}"],
  ["ya29\\.", "[A-Za-z0-9_-]{20,}"],
  ["GOCSPX-", "[A-Za-z0-9_-]{20,}"],
  ["xox[abceoprs]-", "[A-Za-z0-9-]{10,}"],
  ["xapp-", "[A-Za-z0-9-]{20,}"],
  ["[rs]k_(?:live|test)_", "[A-Za-z0-9]{16,}"],
  ["whsec_", "[A-Za-z0-9+/=]{16,}"],
  ["(?:npm|hf|gsk|r8|ntn|lin_api)_", "[A-Za-z0-9]{30,}"],
  ["(?:do[ops]_v1|shp(?:at|ss|ca|pa)|sbp)_", "[A-Fa-f0-9]{32,}"],
  ["(?:figd|dckr_pat)_", "[A-Za-z0-9_-]{20,}"],
  ["(?:xai|pplx|csk)-", "[A-Za-z0-9]{30,}"],
  ["(?:nvapi|pypi)-", "[A-Za-z0-9_-]{40,}"],
  ["SG\\.", "[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{16,}"],
  ["hvs\\.", "[A-Za-z0-9_-]{20,}"],
  ["AGE-SECRET-KEY-1", "[A-Z0-9]{30,}"],
  ["hooks\\.slack\\.com/services/", "[A-Za-z0-9/]{20,}"],
  ["eyJ", "[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}(?:\\.[A-Za-z0-9_-]*){1,3}"],
];
const namedKey = new RegExp(
  `(?<![A-Za-z0-9_])(?:${namedKeys.map(([prefix, rest]) => `(${prefix})${rest}`).join("|")})`,
  "g",
);

function maskNamedKeys(text: string): string {
  return text.replace(namedKey, (_whole, ...groups: unknown[]) => {
    const prefix = groups.find((group) => typeof group === "string");
    return `${prefix}${hidden}`;
  });
}

/** `sk-` is also how some class names begin: a key has a long piece with digits in it. */
function maskSkKeys(text: string): string {
  return text.replace(
    /(?<![A-Za-z0-9_])(sk-(?:ant-(?:[a-z]+\d\d-)?|proj-|svcacct-|admin-|or-v1-)?)([A-Za-z0-9_-]{16,})/g,
    (whole, kind: string, rest: string) =>
      rest.split(/[-_]/).some((piece) => piece.length >= 8 && /\d/.test(piece)) ? kind + hidden : whole,
  );
}

/** The body may carry line numbers or the signs of a diff; without a body the words are only mentioned. */
const privateKey =
  /(-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)(?:(?:\\?[nr]|\s){0,8}(?:Proc-Type|DEK-Info|Version|Comment): ?[^\n\\]{0,200}){0,4}((?:[A-Za-z0-9+/=\s\\|>]|-(?!-))*)/g;

function maskPrivateKeys(text: string): string {
  return text.replace(privateKey, (whole, begin: string, body: string) =>
    body.length >= 32 ? `${begin} ${hidden} ` : whole,
  );
}

/** `Authorization: Bearer …`, `X-Api-Key: …`, and a bearer token without its header. */
const header =
  /\b((?:proxy-)?authorization|x-(?:api|goog-api|auth|amz-security)-?(?:key|token)|api-key|private-token)(\\?["']?\s{0,3}[:=]\s{0,3}\\?["'`]?)((?:bearer|basic|token|apikey|digest|negotiate)\s{1,3})?([^\s"'`,\\<>]{6,})/gi;
const bearer = /\b(bearer\s{1,3})([A-Za-z0-9._~+/=-]{16,})/gi;

function maskHeaders(text: string): string {
  return text
    .replace(header, (whole, name: string, between: string, scheme: string | undefined, value: string) =>
      isStandIn(value) || !(scheme === undefined ? isRandom(value) : /[\d=]|[a-z][A-Z]/.test(value))
        ? whole
        : `${name}${between}${scheme ?? ""}${hidden}`,
    )
    .replace(bearer, (whole, scheme: string, value: string) => (isRandom(value) ? scheme + hidden : whole));
}

/** `OPENAI_API_KEY=…`, `"password": "…"`, `--token …`: the name makes it likely, the value decides. */
const assignment =
  /((?:(?:api|access|private|secret|auth|encryption|signing|account|master|license)[_-]?key|secret|token|passw(?:or)?d|passphrase|pwd|credentials?)[\w-]{0,24}?)(\\{0,2}["'`]?\]?(?:\s{0,3}(?:=>|:=|[:=])\s{0,3}|\s{1,3}(?=\S{12})))(?:(\\{0,2}["'`])([^"'`\n\\]{6,})|([^\s"'`\\&;,(){}[\]<>|]{8,}))/gi;

function maskAssignments(text: string): string {
  return text.replace(
    assignment,
    (whole, name: string, between: string, quote = "", quoted: string | undefined, bare: string, at: number) => {
      const value = quoted ?? bare;
      const isCall = quoted === undefined && /[([{]/.test(text[at + whole.length] ?? "");
      if (isCall || isStandIn(value) || !isSecret({ name, between, value, isQuoted: quoted !== undefined }))
        return whole;
      return `${name}${between}${quote}${hidden}`;
    },
  );
}

type Assigned = {
  readonly name: string;
  readonly between: string;
  readonly value: string;
  readonly isQuoted: boolean;
};

/** In an environment file the name is enough; a quoted password must not be a plain word; all else must look made by a machine. */
function isSecret({ name, between, value, isQuoted }: Assigned): boolean {
  if (/\s/.test(value) || isExpression(value)) return false;
  if (value.length >= 10 && isRandom(value)) return true;
  const isPlain = /^(?:[\d.,_-]+|true|false|null|none|undefined)$/i.test(value);
  const isTight = isQuoted || !/\s=/.test(between);
  if (/^[A-Z0-9_]*(?:TOKEN|SECRET|PASSW(?:OR)?D|PASSPHRASE|KEY)$/.test(name) && /[:=]/.test(between) && isTight)
    return !isPlain;
  const isPassword = /^(?:passw(?:or)?d|passphrase|pwd|secret)$/i.test(name);
  return isPassword && isQuoted && value.length >= 8 && /[A-Za-z]/.test(value) && /[\d!@#^&+~]/.test(value);
}

/** The password of an address; a long name alone is a token. */
const addressWithPassword = /:\/\/([^\s/:@"'`<>\\]{0,100}):([^\s/@"'`<>\\]{1,200})@/g;
const addressWithToken = /:\/\/([A-Za-z0-9_-]{20,200})@/g;

function maskAddresses(text: string): string {
  return text
    .replace(addressWithPassword, (whole, user: string, password: string) =>
      isStandIn(password) ? whole : `://${user}:${hidden}@`,
    )
    .replace(addressWithToken, (whole, user: string) => (isRandom(user) ? `://${hidden}@` : whole));
}

/** Most texts hold no sign of a secret: looking for one is several times cheaper than masking. */
const masks: readonly { readonly sign: RegExp; readonly mask: (text: string) => string }[] = [
  { sign: /PRIVATE KEY/, mask: maskPrivateKeys },
  { sign: /sk-/, mask: maskSkKeys },
  { sign: new RegExp(namedKey.source), mask: maskNamedKeys },
  { sign: /authorization|bearer|api-key|(?:x|api|auth|security)-?(?:key|token)|private-token/i, mask: maskHeaders },
  { sign: /:\/\/[^\s/]{1,300}@/, mask: maskAddresses },
  { sign: /key|secret|token|passw|passphrase|pwd|credential/i, mask: maskAssignments },
];

/** Says where the secret comes from, or stands in for one. */
function isStandIn(value: string): boolean {
  return (
    /[$<>{}%*…]|\.\.\.|\[masked|\[key hidden/.test(value) ||
    /^(?:your|my|the|some|example|dummy|fake|change-?me|placeholder|insert|redacted|x{4,}|0+$)/i.test(value)
  );
}

/** What stands to the right of a colon in code: a property, a path, an address, a date, the name of a constant. */
function isExpression(value: string): boolean {
  return (
    (/^[A-Za-z_$][\w$]*(?:[.?!]+[A-Za-z_$][\w$]*)+[?!]?$/.test(value) && changesOf(value) < 4) ||
    /^(?:~|\.{0,2})\/|^[A-Za-z]+:\/\/|^\d{4}-\d\d-\d\d/.test(value) ||
    /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(value)
  );
}

/** Letters, capitals and digits follow each other as they do not in words and names. */
function isRandom(value: string): boolean {
  const sample = value.slice(0, 200);
  if (changesOf(sample) >= 3) return true;
  const cases = sample.match(/(?<=[a-z])[A-Z]|(?<=[A-Z])[a-z]/g)?.length ?? 0;
  return sample.length >= 20 && cases + changesOf(sample) >= sample.length * 0.3 && /[A-Z]{2}/.test(sample);
}

/** How often a letter follows a digit or a digit a letter. */
function changesOf(value: string): number {
  return value.match(/(?<=[A-Za-z])\d|(?<=\d)[A-Za-z]/g)?.length ?? 0;
}

import { isStatic, type Value } from "../shell/value.ts";
import type { ReadProgram } from "./judge-reader.ts";
import { lookUp } from "./look-up.ts";
import { hasOption, type ParsedArguments } from "./options.ts";

/**
 * Programs that only read, with what they may be called with. Growing the set of commands that run unasked means adding
 * rows here (or in git-table.ts); a program that is not in any table is asked about.
 */

const anyText: ReadProgram = { options: "any", operands: "text" };
const anyNames: ReadProgram = { options: "any", operands: "names" };
const anyFiles: ReadProgram = { options: "any", operands: "files" };
const noArguments: ReadProgram = { options: {}, operands: "none" };

const grep: ReadProgram = {
  options: {
    short: "abcEFGHhIiLlnoPqRrsTUuVvwxyZzA:B:C:D:d:e:f:m:",
    long:
      "after-context= basic-regexp before-context= binary binary-files= byte-offset color=? colour=? context= count " +
      "devices= directories= exclude= exclude-dir= exclude-from= extended-regexp file= files-with-matches " +
      "files-without-match fixed-strings help ignore-case include= initial-tab invert-match label= line-buffered " +
      "line-number line-regexp max-count= no-filename no-ignore-case no-messages null null-data only-matching " +
      "perl-regexp quiet recursive regexp= silent text version with-filename word-regexp dereference-recursive",
    number: true,
    harmless: true,
  },
  operands: "files",
  patternBefore: ["-e", "-f", "--regexp", "--file"],
  listsFiles: true,
  filtersLines: true,
};

const ripgrep: ReadProgram = {
  options: {
    short: "0acFHhIiLlNnopPqSsUuVvwx.A:B:C:d:E:e:f:g:j:M:m:r:T:t:",
    long:
      "after-context= before-context= binary block-buffered byte-offset case-sensitive color= colors= column context= " +
      "context-separator= count count-matches crlf debug encoding= engine= field-context-separator= " +
      "field-match-separator= file= files files-with-matches files-without-match fixed-strings follow glob= " +
      "glob-case-insensitive heading help hidden iglob= ignore-case ignore-file= include-zero invert-match json " +
      "line-buffered line-number line-regexp max-columns= max-columns-preview max-count= max-depth= max-filesize= " +
      "multiline multiline-dotall no-column no-config no-context-separator no-filename no-heading no-hidden no-ignore " +
      "no-ignore-dot no-ignore-exclude no-ignore-files no-ignore-global no-ignore-messages no-ignore-parent " +
      "no-ignore-vcs no-line-number no-messages no-mmap no-require-git no-unicode null null-data one-file-system " +
      "only-matching passthru path-separator= pcre2 pretty quiet regexp= replace= smart-case sort= sortr= stats text " +
      "threads= trim type= type-list type-not= unrestricted version vimgrep with-filename word-regexp",
  },
  operands: "files",
  patternBefore: ["-e", "-f", "--regexp", "--file", "--files", "--type-list"],
  listsFiles: true,
};

const fd: ReadProgram = {
  options: {
    short: "0aFgHhIiLlpqsuV1c:d:E:e:j:o:S:t:",
    long:
      "absolute-path base-directory= case-sensitive changed-before= changed-within= color= exact-depth= exclude= " +
      "extension= fixed-strings follow full-path glob hidden ignore-case list-details max-depth= max-results= " +
      "min-depth= no-follow no-hidden no-ignore no-ignore-parent no-ignore-vcs one-file-system owner= " +
      "path-separator= print0 prune quiet regex relative-path search-path= show-errors size= threads= type= " +
      "unrestricted version",
  },
  operands: "names",
  listsFiles: true,
};

const sort: ReadProgram = {
  options: {
    short: "bCcdfghiMmnRrsuVzk:S:t:",
    long:
      "buffer-size= check=? debug dictionary-order field-separator= general-numeric-sort human-numeric-sort ignore-case " +
      "ignore-leading-blanks ignore-nonprinting key= merge month-sort numeric-sort parallel= random-sort reverse " +
      "sort= stable unique version-sort zero-terminated",
  },
  operands: "files",
  filtersLines: true,
};

const date: ReadProgram = {
  options: {
    short: "uRI::d:r:",
    long: "date= iso-8601=? reference= rfc-3339= rfc-email universal utc",
  },
  operands: "text",
  maximumOperands: 1,
  complaint: ({ operands }) =>
    operands.every((operand) => operand.text.startsWith("+")) ? undefined : "it sets the clock",
};

/** BSD letters have no dash, and there `e` means "show the environment". */
const ps: ReadProgram = {
  options: {
    short: "AadefFHjlLmNTwyZcC:g:G:o:O:p:q:s:t:u:U:",
    long: "forest headers no-headers pid= ppid= sort= user=",
  },
  operands: "text",
  complaint: ({ operands, options }) =>
    operands.every((operand) => isStatic(operand) && /^([acfghjlrsTuvwx]+|\d[\d,]*)$/.test(operand.text)) &&
    options.every(({ value }) => value === undefined || (isStatic(value) && !/environ/i.test(value.text)))
      ? undefined
      : "it may show the environment of other programs",
};

const jq: ReadProgram = {
  options: {
    short: "aCcehjMnRrSsV",
    long:
      "ascii-output color-output compact-output exit-status indent= join-output monochrome-output null-input raw-input " +
      "raw-output sort-keys slurp tab version",
    harmless: true,
  },
  operands: "files",
  patternBefore: [],
  complaint: ({ operands: [filter] }) =>
    filter &&
    (!isStatic(filter) || /\$ENV|(?<!\.)\benv\b|\b(import|include|input_filename|get_search_list)\b/.test(filter.text))
      ? "the filter may read the environment or other files"
      : undefined,
};

const tar: ReadProgram = {
  options: { short: "tvzjJaf:", long: "list verbose file= gzip bzip2 xz zstd" },
  operands: "text",
  complaint: (parsed) => {
    const lists = hasOption(parsed, "-t", "--list") || /^t[vzjJa]*f?$/.test(parsed.operands[0]?.text ?? "");
    const values = [...parsed.operands, ...parsed.options.flatMap(({ value }) => (value ? [value] : []))];
    // An archive named `host:file` is fetched by starting a remote shell.
    return lists && values.every(({ text }) => !text.includes(":"))
      ? undefined
      : "only listing an archive is known to be harmless";
  },
};

const unzip: ReadProgram = {
  options: { short: "lqvZ1" },
  operands: "text",
  complaint: (parsed) => (hasOption(parsed, "-l", "-v", "-Z") ? undefined : "it unpacks files"),
};

/** What a list of names holds is shown when no file has such a name. */
const readsList = ({ options }: ParsedArguments) =>
  options.some(({ name }) => name.startsWith("--fi")) ? "it takes names from a file" : undefined;

export const readPrograms: Readonly<Record<string, ReadProgram>> = {
  // Says something, or nothing.
  ":": anyText,
  true: anyText,
  false: anyText,
  echo: anyText,
  printf: { options: { leading: true }, operands: "text" },
  seq: anyText,
  expr: anyText,
  sleep: anyText,
  wait: { options: { short: "fn" }, operands: "text" },
  exit: anyText,
  return: anyText,
  break: anyText,
  continue: anyText,
  yes: anyText,
  basename: anyNames,
  dirname: anyNames,

  // The shell and the machine.
  pwd: anyText,
  dirs: noArguments,
  which: anyText,
  whereis: anyText,
  type: anyText,
  jobs: { options: { short: "lnprs" }, operands: "text" },
  locale: anyText,
  help: anyText,
  whoami: anyText,
  id: anyText,
  groups: anyText,
  logname: anyText,
  tty: anyText,
  uname: anyText,
  arch: anyText,
  hostname: { options: { short: "AadfIisy", long: "fqdn ip-address short" }, operands: "none" },
  nproc: anyText,
  uptime: anyText,
  free: anyText,
  lscpu: anyText,
  date,
  cal: anyText,
  ps,
  pgrep: anyText,
  man: {
    options: { short: "fk" },
    operands: "text",
    complaint: ({ operands }) => (operands.some(({ text }) => text.includes("/")) ? "it formats a file" : undefined),
  },

  // Which files there are, and what they are like.
  ls: { ...anyNames, listsFiles: true },
  stat: anyNames,
  file: {
    options: { short: "0bhikLNnprsvz", long: "brief dereference mime mime-encoding mime-type" },
    operands: "names",
  },
  du: { ...anyNames, complaint: readsList },
  df: anyNames,
  realpath: anyNames,
  readlink: anyNames,
  tree: {
    options: {
      short: "aACcDdFfghiJlNnpQqrSstUuvXxI:L:P:",
      long: "dirsfirst du filelimit= filesfirst gitignore matchdirs noreport prune si sort= timefmt=",
    },
    operands: "names",
  },
  fd,
  fdfind: fd,

  // What is in them.
  cat: anyFiles,
  tac: anyFiles,
  rev: anyFiles,
  nl: anyFiles,
  head: { ...anyFiles, filtersLines: true },
  tail: { ...anyFiles, filtersLines: true },
  wc: { ...anyFiles, complaint: readsList },
  cut: anyFiles,
  tr: anyText,
  paste: anyFiles,
  column: anyFiles,
  fold: anyFiles,
  fmt: anyFiles,
  expand: anyFiles,
  unexpand: anyFiles,
  join: anyFiles,
  comm: anyFiles,
  cmp: anyFiles,
  diff: anyFiles,
  zcat: anyFiles,
  sort,
  uniq: {
    options: {
      short: "cdDiuzf:s:w:",
      long: "all-repeated=? check-chars= count group=? ignore-case repeated skip-chars= skip-fields= unique zero-terminated",
    },
    operands: "files",
    maximumOperands: 1,
    filtersLines: true,
  },
  grep,
  egrep: grep,
  fgrep: grep,
  rg: ripgrep,
  jq,
  od: anyFiles,
  hexdump: anyFiles,
  hd: anyFiles,
  xxd: { options: { short: "abCEeipuc:g:l:n:o:s:" }, operands: "files", maximumOperands: 1 },
  strings: anyFiles,
  base64: { options: { short: "dDiw:", long: "decode ignore-garbage wrap=", harmless: true }, operands: "files" },
  md5sum: anyFiles,
  sha1sum: anyFiles,
  sha224sum: anyFiles,
  sha256sum: anyFiles,
  sha384sum: anyFiles,
  sha512sum: anyFiles,
  b2sum: anyFiles,
  cksum: anyFiles,
  sum: anyFiles,
  bc: anyFiles,
  tar,
  unzip,
  npm: {
    options: { short: "agl", long: "all depth= global json long parseable" },
    operands: "text",
    complaint: ({ operands: [command] }) =>
      command && isStatic(command) && /^(ls|list|ll|la)$/.test(command.text)
        ? undefined
        : "it may run scripts of the project",
  },
};

/** Asked for nothing but its version, each of these answers and ends. Not those that load plugins of the project first. */
const versionPrograms: ReadonlySet<string> = new Set([
  ...[
    "node",
    "npm",
    "npx",
    "deno",
    "bun",
    "python",
    "python3",
    "pip",
    "pip3",
    "uv",
    "ruby",
    "gem",
    "perl",
    "php",
    "lua",
  ],
  ...["java", "javac", "kotlin", "scala", "cargo", "rustc", "rustup", "gcc", "g++", "cc", "c++", "clang", "clang++"],
  ...["make", "cmake", "ninja", "docker", "podman", "git", "gh", "bash", "zsh", "curl", "wget", "tar", "gzip", "zip"],
  ...["sed", "awk", "gawk", "find", "xargs", "rg", "jq", "sqlite3", "psql"],
]);

/** Other spellings of the same question. */
const versionSpellings: Readonly<Record<string, readonly string[]>> = {
  node: ["-v"],
  npm: ["-v"],
  ruby: ["-v"],
  perl: ["-v"],
  php: ["-v"],
  python: ["-V"],
  python3: ["-V"],
  java: ["-version"],
  javac: ["-version"],
  go: ["version"],
  openssl: ["version"],
  ssh: ["-V"],
};

export function asksForVersion(program: string, args: readonly Value[]): boolean {
  const [only] = args;
  if (args.length !== 1 || only === undefined || !isStatic(only)) return false;
  if (only.text === "--version") return versionPrograms.has(program);
  return lookUp(versionSpellings, program)?.includes(only.text) ?? false;
}

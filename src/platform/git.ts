import { execFile } from "node:child_process";

/** Our own git calls: no hooks, pagers, external diffs or monitors, whatever the repository's configuration says. */
const safeFlags = [
  "--no-pager",
  "-c",
  "core.fsmonitor=false",
  "-c",
  "core.hooksPath=/dev/null",
  "-c",
  "core.attributesFile=/dev/null",
  "-c",
  "protocol.allow=never",
];
const safeEnvironment = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_TERMINAL_PROMPT: "0",
  GIT_NO_LAZY_FETCH: "1",
  LC_ALL: "C",
};

export type Git = (args: readonly string[]) => Promise<{ readonly ok: boolean; readonly text: string }>;

/** `ok` is false when git is missing, fails or takes too long; `text` is then what it said. */
export function createGit(
  cwd: string,
  environment: Readonly<Record<string, string>>,
  { timeoutMs = 10_000 }: { readonly timeoutMs?: number } = {},
): Git {
  return (args) =>
    new Promise((resolve) => {
      const options = {
        cwd,
        timeout: timeoutMs,
        maxBuffer: 16 * 1024 * 1024,
        env: { ...environment, ...safeEnvironment },
      };
      execFile("git", [...safeFlags, ...args], options, (error, stdout, stderr) =>
        resolve({ ok: error === null, text: error === null ? stdout : stderr || error.message }),
      );
    });
}

/** What differs from the last commit in these files; undefined outside a repository. */
export async function gitDiff(git: Git, paths: readonly string[]): Promise<string | undefined> {
  const command = ["diff", "--no-ext-diff", "--no-textconv", "--no-color", "HEAD", "--", ...paths];
  const { ok, text } = await git([...(await withoutFilters(git)), ...command]);
  return ok ? text : undefined;
}

/** A repository may name programs that git runs over every file it compares or checks out: each is switched off by name. */
export async function withoutFilters(git: Git): Promise<string[]> {
  const { text } = await git(["config", "--null", "--name-only", "--get-regexp", "^filter\\."]);
  const drivers = new Set(text.split("\0").flatMap((name) => /^filter\.(.*)\.[^.]+$/s.exec(name)?.[1] ?? []));
  return [...drivers].flatMap((driver) => [
    ...["clean", "smudge", "process"].flatMap((key) => ["-c", `filter.${driver}.${key}=`]),
    ...["-c", `filter.${driver}.required=false`],
  ]);
}

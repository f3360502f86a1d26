import { isAbsolute, join, relative, resolve } from "node:path";
import { exitCode, UserError } from "../contracts/errors.ts";
import type { PermissionRequest } from "../contracts/permission.ts";
import { isInside, realOrSame, realTarget } from "../platform/paths.ts";
import type { CommandJudgement, Segment } from "./command-judge.ts";
import { commandPattern, matchesTool, matchesWords, parseRule, type Rule, splitRules } from "./rules.ts";

/** One list of a person's rules, asked about calls. */
export interface RuleBook {
  add(text: string): void;
  /** The rule for this very segment. */
  forSegment(tool: string, segment: Segment): { readonly rule: Rule; readonly isExact: boolean } | undefined;
  /** The first rule that matches any part of a command, however it is wrapped. */
  forAnyPart(tool: string, judgement: CommandJudgement): Rule | undefined;
  /** A rule that covers all paths of the call, by the written and by the real path. */
  forAllPaths(request: PermissionRequest, home: string): Promise<Rule | undefined>;
  /** A rule that covers any path of the call, by the written or by the real path. */
  forAnyPath(request: PermissionRequest, home: string): Promise<Rule | undefined>;
}

/** Throws UserError for a rule that cannot be understood: one that silently never matches would be worse. */
export function createRuleBook(texts: readonly string[]): RuleBook {
  const rules: Rule[] = [];
  const forTool = (tool: string) => rules.filter((rule) => matchesTool(rule, tool));

  function add(text: string): void {
    for (const part of splitRules(text)) {
      const parsed = parseRule(part);
      if ("problem" in parsed) throw new UserError(exitCode.config, parsed.problem);
      rules.push(parsed.rule);
    }
  }

  for (const text of texts) add(text);
  return {
    add,
    forSegment(tool, { words }) {
      for (const rule of forTool(tool)) {
        const pattern = rule.argument === undefined ? { words: [], isOpen: true } : commandPattern(rule.argument);
        const isWholeTool = pattern.isOpen && pattern.words.length === 0;
        if (isWholeTool || (words && matchesWords(pattern, words))) return { rule, isExact: !pattern.isOpen };
      }
      return undefined;
    },
    forAnyPart(tool, { segments, calls }) {
      const candidates = forTool(tool);
      if (candidates.length === 0) return undefined;
      const parts = [...segments.flatMap(({ words }) => (words ? [words] : [])), ...calls()];
      return candidates.find((rule) => {
        if (rule.argument === undefined) return true;
        const pattern = commandPattern(rule.argument);
        return parts.some((words) => matchesWords(pattern, words));
      });
    },
    forAllPaths: (request, home) =>
      findForPaths(
        forTool(request.tool),
        request,
        (matches) => pathsOf(request, home).every((names) => names.every(matches)),
        { home, dot: false },
      ),
    forAnyPath: (request, home) =>
      findForPaths(
        forTool(request.tool),
        request,
        (matches) => pathsOf(request, home).some((names) => names.some(matches)),
        { home, dot: true },
      ),
  };
}

/** Each path of a call, as written and as it really is. */
function pathsOf({ view, cwd }: PermissionRequest, home: string): readonly (readonly string[])[] {
  return [...(view.reads ?? []), ...(view.writes ?? [])].map((given) => {
    const lexical = resolve(cwd, expandHome(given, home));
    return [lexical, realOr(lexical)];
  });
}

export function expandHome(given: string, home: string): string {
  return given === "~" ? home : given.startsWith("~/") ? join(home, given.slice(2)) : given;
}

function realOr(path: string): string {
  try {
    return realTarget(path, "/");
  } catch {
    return path;
  }
}

type Covers = (matches: (path: string) => boolean) => boolean;

/** Hidden names count only where a rule forbids or names them: `edit_file(**)` does not open `.git`. */
async function findForPaths(
  rules: readonly Rule[],
  request: PermissionRequest,
  covers: Covers,
  { home, dot }: { readonly home: string; readonly dot: boolean },
): Promise<Rule | undefined> {
  const bare = rules.find(({ argument }) => argument === undefined);
  if (bare || rules.length === 0) return bare;
  const { default: picomatch } = await import("picomatch");
  const roots = [request.root, realOrSame(request.root)];
  const hasPaths = pathsOf(request, home).length > 0;
  return rules.find(({ argument = "" }) => {
    const pattern = expandHome(argument, home).replace(/^\.\//, "").replace(/\/$/, "/**");
    const matcher = picomatch(pattern, { dot });
    const matches = (path: string) =>
      isAbsolute(pattern) ? matcher(path) : roots.some((root) => isInside(path, root) && matcher(relative(root, path)));
    return hasPaths && covers(matches);
  });
}

import { isAbsolute, join, relative, resolve } from "node:path";
import { exitCode, UserError } from "../contracts/errors.ts";
import type { PermissionRequest } from "../contracts/permission.ts";
import { isInside, realOrSame, realTarget } from "../platform/paths.ts";
import type { CommandJudgement, Segment } from "./command-judge.ts";
import { commandPattern, matchesTool, matchesWords, parseRule, type Rule, splitRules } from "./rules.ts";

/** One list of a person's rules, asked about calls. */
export interface RuleBook {
  add(text: string): void;
  /** Is there any rule for this tool? */
  isFor(tool: string): boolean;
  /** "exact": a rule names just this part. "open": it is among the many that a rule covers. */
  forSegment(tool: string, segment: Segment): "exact" | "open" | undefined;
  /** The first rule that matches any part of a command, however it is wrapped. */
  forAnyPart(tool: string, judgement: CommandJudgement): Rule | undefined;
  /** A rule that covers every path of the call, by the written and by the real one. */
  forAllPaths(request: PermissionRequest, home: string): Promise<Rule | undefined>;
  /** A rule that covers any path of the call, by the written or by the real one. */
  forAnyPath(request: PermissionRequest, home: string): Promise<Rule | undefined>;
}

/**
 * Throws UserError for a rule that cannot be understood: one that silently never matches would be worse. `borrowed` are rules that hold
 * only as long as they are named; one that cannot be understood allows nothing.
 */
export function createRuleBook(texts: readonly string[], borrowed: () => readonly string[] = () => []): RuleBook {
  const rules: Rule[] = [];
  const forTool = (tool: string) =>
    [...rules, ...borrowed().flatMap(rulesIn)].filter((rule) => matchesTool(rule, tool));

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
    isFor: (tool) => forTool(tool).length > 0,
    forSegment(tool, { words }) {
      const patterns = forTool(tool).map(({ argument }) => commandPattern(argument ?? "*"));
      const matching = patterns.filter((pattern) =>
        words ? matchesWords(pattern, words) : pattern.isOpen && pattern.words.length === 0,
      );
      if (matching.length === 0) return undefined;
      return matching.every(({ isOpen }) => isOpen) ? "open" : "exact";
    },
    forAnyPart(tool, { segments, calls }) {
      const candidates = forTool(tool);
      if (candidates.length === 0) return undefined;
      const parts = [...segments.flatMap(({ words }) => (words ? [words] : [])), ...calls()];
      return candidates.find(({ argument }) => {
        const pattern = commandPattern(argument ?? "*");
        return argument === undefined || parts.some((words) => matchesWords(pattern, words));
      });
    },
    forAllPaths: (request, home) => findForPaths(forTool(request.tool), "all", { request, home }),
    forAnyPath: (request, home) => findForPaths(forTool(request.tool), "any", { request, home }),
  };
}

function rulesIn(text: string): Rule[] {
  return splitRules(text).flatMap((part) => {
    const parsed = parseRule(part);
    return "rule" in parsed ? [parsed.rule] : [];
  });
}

type Asked = { readonly request: PermissionRequest; readonly home: string };

/** Hidden names count only where a rule forbids or names them: allowing `edit_file(**)` does not open `.git`. */
async function findForPaths(rules: readonly Rule[], extent: "all" | "any", asked: Asked): Promise<Rule | undefined> {
  const bare = rules.find(({ argument }) => argument === undefined);
  const paths = pathsOf(asked);
  if (bare || rules.length === 0 || paths.length === 0) return bare;
  const { default: picomatch } = await import("picomatch");
  const { root } = asked.request;
  const roots = [root, realOrSame(root)];
  return rules.find(({ argument = "" }) => {
    const pattern = expandHome(argument, asked.home).replace(/^\.\//, "").replace(/\/$/, "/**");
    const matcher = picomatch(pattern, { dot: extent === "any" });
    const matches = (path: string) =>
      isAbsolute(pattern)
        ? matcher(path)
        : roots.some((folder) => isInside(path, folder) && matcher(relative(folder, path)));
    return extent === "all" ? paths.every((names) => names.every(matches)) : paths.some((names) => names.some(matches));
  });
}

/** Each path of a call, as written and as it really is. */
function pathsOf({ request: { view, cwd }, home }: Asked): readonly (readonly string[])[] {
  return [...(view.reads ?? []), ...(view.writes ?? [])].map((given) => {
    const lexical = resolve(cwd, expandHome(given, home));
    return [lexical, realOr(lexical)];
  });
}

export function expandHome(given: string, home: string): string {
  if (given === "~") return home;
  return given.startsWith("~/") ? join(home, given.slice(2)) : given;
}

function realOr(path: string): string {
  try {
    return realTarget(path, "/");
  } catch {
    return path;
  }
}

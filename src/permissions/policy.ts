import { dirname, resolve } from "node:path";
import { messageOf } from "../contracts/errors.ts";
import type {
  PermissionDecision,
  PermissionMode,
  PermissionPolicy,
  PermissionRequest,
  Verdict,
} from "../contracts/permission.ts";
import { displayPath, isInside, realOrSame, realTarget } from "../platform/paths.ts";
import { type CommandJudgement, createCommandJudge, isAllowedAsEdit, type Segment } from "./command-judge.ts";
import { isProtected } from "./protected-paths.ts";
import { createRuleBook, expandHome } from "./rule-book.ts";
import { quotePath, quoteWords } from "./rules.ts";
import { isSecretPath } from "./secret-paths.ts";

export type PolicyOptions = {
  readonly mode: PermissionMode;
  /** Rules of the person; refusing beats asking beats allowing. */
  readonly allow: readonly string[];
  readonly ask: readonly string[];
  readonly deny: readonly string[];
  readonly home: string;
  /** Where this program keeps its own settings; `~/.corecoder` unless moved. */
  readonly stateFolder?: string;
};

export type DetailedDecision = PermissionDecision & { readonly segments: readonly Segment[] };

export interface DetailedPolicy extends PermissionPolicy {
  /** The decision on a command together with that on each of its parts. */
  explain(request: PermissionRequest): Promise<DetailedDecision>;
}

/** Throws UserError for a rule that cannot be understood. */
export function createPolicy(options: PolicyOptions): DetailedPolicy {
  const { mode, home } = options;
  const allowed = createRuleBook(options.allow);
  const asked = createRuleBook(options.ask);
  const denied = createRuleBook(options.deny);
  const commands = createCommandJudge();
  /** There is no sandbox yet that "auto" could rely on, so it lets run what "acceptEdits" does. */
  const acceptsEdits = mode === "acceptEdits" || mode === "auto";

  return {
    mode,
    allow: (rule) => allowed.add(rule),
    async decide(request) {
      if (request.view.command === undefined) return decideCall(request);
      const { segments: _, ...decision } = await explain(request);
      return decision;
    },
    explain,
  };

  async function explain(request: PermissionRequest): Promise<DetailedDecision> {
    const { cwd, root, writableRoots, view } = request;
    const scope = {
      cwd,
      root,
      writableRoots,
      home,
      ...(options.stateFolder ? { stateFolder: options.stateFolder } : {}),
    };
    const judgement = await commands.judge(view.command ?? "", scope);
    return { ...decideCommand(request, judgement), segments: judgement.segments };
  }

  function decideCommand({ tool }: PermissionRequest, judgement: CommandJudgement): PermissionDecision {
    const forbidding = denied.forAnyPart(tool, judgement);
    if (forbidding) return decision("deny", `your rule ${forbidding.text} forbids it`);
    if (mode === "bypassPermissions") return decision("allow", "permissions are bypassed");
    if (mode === "plan") return decidePlannedCommand(judgement);
    const unsettled = judgement.segments.filter((segment) => !mayRun(tool, segment));
    const refused = unsettled.find((segment) => segment.decision === "deny");
    if (refused) return decision("deny", reasonOf(refused, judgement));
    const asking = asked.forAnyPart(tool, judgement);
    if (asking) return decision("ask", `your rule ${asking.text} asks for it`);
    const [first] = unsettled;
    if (first === undefined)
      return decision("allow", judgement.decision === "allow" ? judgement.reason : allowedBecause());
    return { ...decision("ask", reasonOf(first, judgement)), ...ruleForSegments(tool, unsettled) };
  }

  /** Runs unasked: by itself, as an edit in a mode that accepts these, or by a rule; what is refused only by a rule that names it. */
  function mayRun(tool: string, segment: Segment): boolean {
    if (segment.decision === "allow" || (acceptsEdits && isAllowedAsEdit(segment))) return true;
    const found = allowed.forSegment(tool, segment);
    return found !== undefined && (segment.decision === "ask" || found.isExact);
  }

  function allowedBecause(): string {
    return mode === "auto"
      ? "without a sandbox, auto allows what acceptEdits does"
      : "edits or a rule of yours allow it";
  }

  async function decideCall(request: PermissionRequest): Promise<PermissionDecision> {
    const forbidding = await denied.forAnyPath(request, home);
    if (forbidding) return decision("deny", `your rule ${forbidding.text} forbids it`);
    if (mode === "bypassPermissions") return decision("allow", "permissions are bypassed");
    const base = decideByEffect(request);
    if (base.verdict === "deny") return base;
    const asking = await asked.forAnyPath(request, home);
    if (asking) return decision("ask", `your rule ${asking.text} asks for it`);
    if (base.verdict === "allow") return base;
    const allowing = await allowed.forAllPaths(request, home);
    return allowing ? decision("allow", `your rule ${allowing.text} allows it`) : base;
  }

  function decideByEffect(request: PermissionRequest): PermissionDecision {
    const { effect, tool, view } = request;
    if (effect === "none") return decision("allow", "it changes nothing");
    if (effect === "read") return decideReads(request);
    if (mode === "plan") return decision("deny", "plan mode only reads; propose the change instead of making it");
    if (effect === "write" && view.writes && view.writes.length > 0) return decideWrites(request, view.writes);
    const what = effect === "network" ? "it uses the network" : "what it does cannot be judged beforehand";
    return { ...decision("ask", what), rule: tool };
  }

  function decideReads(request: PermissionRequest): PermissionDecision {
    const secret = request.view.reads?.find((given) => {
      const real = locate(given, request);
      return isSecretPath(expandHome(given, home)) || ("path" in real && isSecretPath(real.path));
    });
    if (secret === undefined) return decision("allow", "it only reads");
    return {
      ...decision("ask", `it reads ${secret}, which likely holds a secret`),
      rule: ruleForFile(request, secret),
    };
  }

  function decideWrites(request: PermissionRequest, writes: readonly string[]): PermissionDecision {
    const roots = [realOrSame(request.root), ...request.writableRoots];
    for (const given of writes) {
      const real = locate(given, request);
      if ("problem" in real) return decision("deny", `${given} cannot be followed to where it leads (${real.problem})`);
      const root = roots.find((folder) => isInside(real.path, folder));
      if (root === undefined) {
        const folder = dirname(real.path);
        return decision(
          "deny",
          `${real.path} is outside the workspace; the user can open its folder with --add-dir ${folder}`,
        );
      }
      if (isProtected(real.path, root)) {
        return {
          ...decision("ask", `it changes ${given}, which other tools execute or trust`),
          rule: ruleForFile(request, given),
        };
      }
    }
    if (acceptsEdits) return decision("allow", allowedBecause());
    const [first = ""] = writes;
    return { ...decision("ask", `it changes ${writes.join(", ")}`), rule: ruleForFolder(request, first) };
  }

  type Located = { readonly path: string } | { readonly problem: string };

  function locate(given: string, { cwd }: PermissionRequest): Located {
    try {
      return { path: realTarget(expandHome(given, home), cwd) };
    } catch (error) {
      return { problem: messageOf(error) };
    }
  }

  function ruleForFile({ tool, root, cwd }: PermissionRequest, given: string): string {
    return `${tool}(${quotePath(displayPath(resolve(cwd, expandHome(given, home)), root))})`;
  }

  /** "Always" for an ordinary file means its folder: one file is rarely changed once, and the whole workspace is too much. */
  function ruleForFolder({ tool, root, cwd }: PermissionRequest, given: string): string {
    const folder = displayPath(dirname(resolve(cwd, expandHome(given, home))), root);
    return folder === "." ? `${tool}(*)` : `${tool}(${quotePath(folder)}/**)`;
  }
}

function decision(verdict: Verdict, because: string): PermissionDecision {
  return { verdict, because };
}

function decidePlannedCommand(judgement: CommandJudgement): PermissionDecision {
  if (judgement.readOnly) return decision(judgement.decision, judgement.reason);
  const reason =
    judgement.decision === "deny"
      ? judgement.reason
      : "plan mode only reads; propose the command instead of running it";
  return decision("deny", reason);
}

/** The reason, with the part it is about when there are several. */
function reasonOf(segment: Segment, { segments }: CommandJudgement): string {
  const text = segment.text.length > 80 ? `${segment.text.slice(0, 79)}…` : segment.text;
  return segments.length > 1 ? `${segment.reason} (\`${text}\`)` : segment.reason;
}

/** One exact rule for each part; none when a part depends on what an expansion yields. */
function ruleForSegments(tool: string, segments: readonly Segment[]): { readonly rule?: string } {
  const rules = segments.map(({ words }) => words && words.length > 0 && `${tool}(${quoteWords(words)})`);
  return rules.every((rule) => typeof rule === "string") ? { rule: [...new Set(rules)].join(", ") } : {};
}

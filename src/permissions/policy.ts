import type {
  CommandPart,
  PermissionDecision,
  PermissionMode,
  PermissionPolicy,
  PermissionRequest,
  RecentDecision,
  Verdict,
} from "../contracts/permission.ts";
import { type CommandJudgement, createCommandJudge, isAllowedAsEdit, type Segment } from "./command-judge.ts";
import { commandParts } from "./command-parts.ts";
import { decideReads, decideWrites, ruleForFolder } from "./file-decisions.ts";
import { hostRules } from "./host-rules.ts";
import { isSelfContained } from "./programs/judge-call.ts";
import { createRecentDecisions } from "./recent-decisions.ts";
import { createRuleBook } from "./rule-book.ts";
import { quoteWords } from "./rules.ts";

export type PolicyOptions = {
  readonly mode: PermissionMode;
  /** Rules of the person; refusing beats asking beats allowing. */
  readonly allow: readonly string[];
  readonly ask: readonly string[];
  readonly deny: readonly string[];
  /** More rules that allow, for as long as they are named. */
  readonly granted?: () => readonly string[];
  readonly home: string;
  /** Where this program keeps its own settings; `~/.corecoder` unless moved. */
  readonly stateFolder?: string;
  /** Are commands to run in a sandbox, and can they? Asked when the first command is judged, so that nobody else waits for the answer. */
  readonly sandboxed?: () => Promise<boolean>;
  /** Does a command that is known to only read, and that no file in the workspace tells what to do, run outside even so? Asked once, for the first one. */
  readonly readersRunOutside?: () => boolean;
};

export type DetailedDecision = PermissionDecision & { readonly segments: readonly Segment[] };

export interface DetailedPolicy extends PermissionPolicy {
  /** From the next decision on. */
  setMode(mode: PermissionMode): void;
  /** The decision on a command together with that on each of its parts. */
  explain(request: PermissionRequest): Promise<DetailedDecision>;
  /** The last decisions, oldest first. */
  recent(): readonly RecentDecision[];
}

/** Throws UserError for a rule that cannot be understood. */
export function createPolicy(options: PolicyOptions): DetailedPolicy {
  const { home, stateFolder } = options;
  let { mode } = options;
  const allowed = createRuleBook(options.allow, options.granted);
  const asked = createRuleBook(options.ask);
  const denied = createRuleBook(options.deny);
  const commands = createCommandJudge();
  const recent = createRecentDecisions();
  const answered: string[] = [];
  let outside: boolean | undefined;
  const readersRunOutside = () => (outside ??= options.readersRunOutside?.() ?? false);
  let acceptsEdits = takesEdits(mode);
  const editsRun = "edits need no question";

  async function decide(request: PermissionRequest): Promise<PermissionDecision> {
    const decided = await decideUnnoted(request);
    recent.add(request, decided);
    return decided;
  }

  async function decideUnnoted(request: PermissionRequest): Promise<PermissionDecision> {
    if (request.view.command === undefined) return decideCall(request);
    const { segments: _, ...decision } = await explain(request);
    return decision;
  }

  async function explain(request: PermissionRequest): Promise<DetailedDecision> {
    const { cwd, root, writableRoots, view } = request;
    const scope = { cwd, root, writableRoots, home, ...(stateFolder ? { stateFolder } : {}) };
    const judgement = await commands.judge(view.command ?? "", scope);
    const isReader =
      judgement.decision === "allow" &&
      judgement.readOnly &&
      judgement.calls().every(([program = ""]) => isSelfContained(program));
    const needsNone = mode === "bypassPermissions" || (isReader && readersRunOutside());
    const isContained = !needsNone && (await options.sandboxed?.()) === true;
    const decided = isContained ? decideContained(request.tool, judgement) : decideCommand(request.tool, judgement);
    if (decided.verdict !== "ask") return { ...decided, segments: judgement.segments };
    const deleted = judgement.deleted();
    const because = deleted === "" ? decided.because : `${decided.because}; ${deleted}`;
    return { ...decided, because, parts: partsOf(request, judgement), segments: judgement.segments };
  }

  function decideCommand(tool: string, judgement: CommandJudgement): PermissionDecision {
    const forbidding = denied.forAnyPart(tool, judgement);
    if (forbidding) return decision("deny", `your rule ${forbidding.text} forbids it`);
    if (!judgement.isComplete && denied.isFor(tool)) {
      return decision("ask", `${judgement.reason}, so your rules cannot be checked against it`);
    }
    if (mode === "bypassPermissions") return decision("allow", "permissions are bypassed");
    if (mode === "plan") return decidePlannedCommand(judgement);
    const unsettled = judgement.segments.filter((segment) => !mayRun(tool, segment));
    const refused = unsettled.find((segment) => segment.decision === "deny");
    if (refused) return decision("deny", reasonOf(refused, judgement));
    const asking = asked.forAnyPart(tool, judgement);
    if (asking) return wishedAsk(asking.text);
    const [first] = unsettled;
    if (first) return { ...decision("ask", reasonOf(first, judgement)), ...ruleForSegments(tool, unsettled) };
    if (judgement.decision === "allow") return decision("allow", judgement.reason);
    return decision("allow", acceptsEdits ? editsRun : "your rules allow it");
  }

  /**
   * Inside a sandbox. In "auto" a command runs unasked there, whatever it does, unless a rule is against it, it is refused everywhere, it reads
   * a secret, or it plainly destroys the work in the workspace, which the sandbox leaves open; one that the person's own rules allow runs outside. Other modes ask as always, and run inside what was allowed.
   */
  function decideContained(tool: string, judgement: CommandJudgement): PermissionDecision {
    const outside = decideCommand(tool, judgement);
    if (outside.verdict === "deny") return outside;
    const needing = judgement.segments.filter((segment) => segment.decision !== "allow");
    const byRule = needing.length > 0 && needing.every((segment) => allowed.forSegment(tool, segment) !== undefined);
    if (mode !== "auto") return byRule && outside.verdict === "allow" ? outside : { ...outside, inSandbox: true };
    if (outside.verdict === "allow") return byRule ? outside : { ...outside, inSandbox: true };
    const seesSecret = needing.some((segment) => segment.effect === "read" && !mayRun(tool, segment));
    const losesWork = needing.some((segment) => segment.effect === "loses-work" && !mayRun(tool, segment));
    const isRuled = outside.isWished || (!judgement.isComplete && denied.isFor(tool));
    if (seesSecret || isRuled) return outside;
    if (losesWork) return { ...outside, inSandbox: true };
    return { ...decision("allow", "it runs in the sandbox"), inSandbox: true };
  }

  function partsOf({ tool, view }: PermissionRequest, { segments }: CommandJudgement): readonly CommandPart[] {
    return commandParts(view.command ?? "", segments, (segment) => {
      if (!mayRun(tool, segment)) return undefined;
      return acceptsEdits && isAllowedAsEdit(segment) ? editsRun : "your rules allow it";
    });
  }

  /** Unasked: by itself, as an edit where these are accepted, or by a rule; what is refused only by a rule that names it. */
  function mayRun(tool: string, segment: Segment): boolean {
    if (segment.decision === "allow" || (acceptsEdits && isAllowedAsEdit(segment))) return true;
    const match = allowed.forSegment(tool, segment);
    return match === "exact" || (match === "open" && segment.decision === "ask");
  }

  async function decideCall(request: PermissionRequest): Promise<PermissionDecision> {
    const forbidding = await denied.forAnyPath(request, home);
    if (forbidding) return decision("deny", `your rule ${forbidding.text} forbids it`);
    const byHost = decideHost(request);
    if (byHost?.verdict === "deny") return byHost;
    if (mode === "bypassPermissions") return decision("allow", "permissions are bypassed");
    const byEffect = byHost ?? decideByEffect(request);
    if (byEffect.verdict === "deny") return byEffect;
    const asking = await asked.forAnyPath(request, home);
    if (asking) return wishedAsk(asking.text);
    if (byEffect.verdict === "allow") return byEffect;
    const allowing = await allowed.forAllPaths(request, home);
    return allowing ? decision("allow", `your rule ${allowing.text} allows it`) : byEffect;
  }

  /** For a call that talks to one host: by the rules for hosts, among them those that were answered with "always". */
  function decideHost({ view: { host } }: PermissionRequest): PermissionDecision | undefined {
    if (host === undefined) return undefined;
    const { ask, deny } = options;
    const allow = [...options.allow, ...answered, ...(options.granted?.() ?? [])];
    const ruled = hostRules({ allow, ask, deny }).decide(host.name, host.port);
    if (ruled === undefined)
      return { ...decision("ask", `it talks to ${host.name}`), rule: `network(${host.name}:${host.port})` };
    if (ruled.verdict === "ask") return wishedAsk(ruled.rule);
    const verb = ruled.verdict === "allow" ? "allows" : "forbids";
    return decision(ruled.verdict, `your rule ${ruled.rule} ${verb} it`);
  }

  function decideByEffect(request: PermissionRequest): PermissionDecision {
    const { effect, tool, view } = request;
    if (effect === "none") return decision("allow", "it changes nothing");
    if (effect === "read") return decideReads(request, home);
    if (view.readOnlyClaim !== undefined) return decideClaim(request);
    if (mode === "plan") return decision("deny", "plan mode only reads; propose the change instead of making it");
    if (effect === "write" && view.writes && view.writes.length > 0) {
      const changes = {
        ...decision("ask", `it changes ${view.writes.join(", ")}`),
        rule: ruleForFolder(request, home),
      };
      return decideWrites(request, home) ?? (acceptsEdits ? decision("allow", editsRun) : changes);
    }
    if (effect === "write" && view.keeps !== undefined) {
      if (acceptsEdits) return decision("allow", editsRun);
      return { ...decision("ask", `it changes ${view.keeps}`), rule: tool };
    }
    const what = effect === "network" ? "it uses the network" : "what it does cannot be judged beforehand";
    return { ...decision("ask", what), rule: tool };
  }

  /** Somebody says that the call only reads. The word of one whom the person chose counts where edits need no question. */
  function decideClaim({ tool, view }: PermissionRequest): PermissionDecision {
    if (view.readOnlyClaim === "person" && acceptsEdits) return decision("allow", "its server says that it only reads");
    return { ...decision("ask", "that it only reads is its server's word"), rule: tool };
  }

  return {
    get mode() {
      return mode;
    },
    setMode(next) {
      mode = next;
      acceptsEdits = takesEdits(next);
    },
    allow(rule) {
      allowed.add(rule);
      answered.push(rule);
    },
    decide,
    explain,
    recent: recent.all,
  };
}

const takesEdits = (mode: PermissionMode) => mode === "acceptEdits" || mode === "auto";

function wishedAsk(rule: string): PermissionDecision {
  return { ...decision("ask", `your rule ${rule} asks for it`), isWished: true };
}

function decision(verdict: Verdict, because: string): PermissionDecision {
  return { verdict, because };
}

function decidePlannedCommand({ readOnly, decision: verdict, reason }: CommandJudgement): PermissionDecision {
  if (readOnly || verdict === "deny") return decision(verdict, reason);
  return decision("deny", "plan mode only reads; propose the command instead of running it");
}

/** The reason, with the part it is about when there are several. */
function reasonOf({ text, reason }: Segment, { segments }: CommandJudgement): string {
  const line = text.replace(/\s+/g, " ");
  const shown = line.length > 80 ? `${line.slice(0, 79)}…` : line;
  return segments.length > 1 ? `${reason} (\`${shown}\`)` : reason;
}

/** One exact rule for each part; none when a part depends on what an expansion yields. */
function ruleForSegments(tool: string, segments: readonly Segment[]): { readonly rule?: string } {
  const rules = segments.map(({ words }) => words && words.length > 0 && `${tool}(${quoteWords(words)})`);
  return rules.every((rule) => typeof rule === "string") ? { rule: [...new Set(rules)].join(", ") } : {};
}

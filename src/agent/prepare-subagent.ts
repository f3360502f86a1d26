import type { ContextStep } from "../contracts/context.ts";
import type { AgentEvent, TurnOutcome } from "../contracts/event.ts";
import type { PermissionPolicy } from "../contracts/permission.ts";
import type { AgentKind, SubagentRequest } from "../contracts/subagent.ts";
import type { AnyTool, ToolContext, ToolOutput } from "../contracts/tool.ts";
import type { Workspace } from "../contracts/workspace.ts";
import type { Worktree } from "../platform/git-worktree.ts";
import { createAgent } from "./agent.ts";
import type { AgentOptions, RestoredConversation } from "./agent-options.ts";
import { forkConversation, forkTask } from "./fork-conversation.ts";
import { hooksForSubagent } from "./hook-points.ts";
import type { PreparedSubagent } from "./subagent-background.ts";
import { reportOf } from "./subagent-report.ts";
import { extensionsFor, toolsFor } from "./subagent-tools.ts";
import { tightenPolicy } from "./tighten-policy.ts";
import { createWorkspace } from "./workspace.ts";

const defaultRounds = 20;

/** A sub-agent about to start. `kind` is left out for "general" and "fork". */
export type NewSubagent = {
  readonly name: string;
  readonly kind: AgentKind | undefined;
  readonly workspace: Workspace;
  readonly isIsolated: boolean;
  readonly tools: readonly AnyTool[];
  /** The history it begins with. */
  readonly steps: readonly ContextStep[] | undefined;
  readonly callId: string;
};

/** What is its own: where it is logged, what it keeps, and the model, prompt and window of its kind. */
export type SubagentFurniture = Pick<
  AgentOptions,
  "provider" | "model" | "system" | "log" | "keep" | "keepFile" | "outputFolder" | "createContext" | "sessionId"
> & {
  /** When its model is not its parent's. */
  readonly otherModel?: string;
  close(): void;
};

/** What sub-agents are made of. */
export type SubagentParts = {
  readonly parent: () => { readonly options: AgentOptions; readonly steps: readonly ContextStep[] };
  readonly kinds: readonly AgentKind[];
  readonly furnish: (agent: NewSubagent) => SubagentFurniture;
  readonly makeWorktree: (cwd: string) => Promise<Worktree>;
  readonly readOnlyPolicy: () => PermissionPolicy;
};

/** All that may fail before it begins. */
export async function prepareSubagent(
  request: SubagentRequest,
  context: ToolContext,
  options: SubagentParts,
): Promise<PreparedSubagent> {
  const { type: name = "general", task } = request;
  const kind = options.kinds.find((each) => each.name === name);
  const parent = options.parent();
  const isFork = name === "fork";
  const steps = isFork ? parent.steps : undefined;
  const { tools, missing } = toolsFor(kind, parent.options.tools, isFork ? "fork" : "fresh");
  const isolation = request.isolation ?? kind?.isolation;
  const worktree = isolation === "worktree" ? await options.makeWorktree(context.workspace.root) : undefined;
  const workspace = workspaceFor(context.workspace, { worktree, isFork });
  const about: NewSubagent = {
    ...{ name, kind, workspace, tools, steps, callId: context.callId },
    isIsolated: worktree !== undefined,
  };
  let furniture: SubagentFurniture;
  try {
    furniture = options.furnish(about);
  } catch (error) {
    await worktree?.close();
    throw error;
  }
  const agent = createAgent(agentOptions(about, { parent: parent.options, furniture, context, options }));
  const where = worktree ? `${placeOf(worktree)}\n` : "";
  return {
    async run(signal, onEvent) {
      let outcome: TurnOutcome | undefined;
      let place: string | undefined;
      const { otherModel } = furniture;
      if (missing.length > 0)
        onEvent({
          type: "notice",
          text: `The agent ${name} asks for tools that do not exist here: ${missing.join(", ")}.`,
        });
      try {
        for await (const event of agent.send(where + (isFork ? forkTask(task) : task), signal)) {
          if (event.type === "turn.finished") ({ outcome } = event);
          else onEvent(otherModel && event.type === "message.added" ? { ...event, model: otherModel } : event);
        }
      } finally {
        place = await endWorktree(worktree, onEvent);
        furniture.close();
      }
      return withPlace(reportOf(outcome, agent.lastText, context), place);
    },
  };
}

type Making = {
  readonly parent: AgentOptions;
  readonly furniture: SubagentFurniture;
  readonly context: ToolContext;
  readonly options: SubagentParts;
};

function agentOptions(about: NewSubagent, { parent, furniture, context, options }: Making): AgentOptions {
  const { name, kind, workspace, tools, steps, isIsolated } = about;
  const { close: _close, otherModel, ...own } = furniture;
  // a job that ends is told where the person's conversation is, and so is what extensions have to say
  const { restored: _1, toolSchemas, pendingNotices: _2, pendingPrompts: _4, spending: _3, ...rest } = parent;
  const { tracker, fallBack, onWindowLearned, cacheMs, ...inherited } = rest;
  const { ask, hooks, extensions = [] } = parent;
  const restored: RestoredConversation | undefined = steps && forkConversation(steps);
  return {
    ...inherited,
    ...own,
    tools,
    workspace,
    extensions: extensionsFor(kind, extensions),
    permissions: kind?.isReadOnly ? tightenPolicy(parent.permissions, options.readOnlyPolicy()) : parent.permissions,
    maxRounds: Math.min(kind?.maxRounds ?? defaultRounds, context.roundsLeft ?? Number.POSITIVE_INFINITY),
    ...(steps && toolSchemas ? { toolSchemas } : {}),
    ...(restored ? { restored } : {}),
    // what happens in a worktree is taken back with git
    ...(tracker && !isIsolated ? { tracker } : {}),
    ...(otherModel === undefined ? sameModel({ fallBack, onWindowLearned, cacheMs }) : {}),
    ...(kind?.effort === undefined ? {} : { effort: kind.effort }),
    ...(ask ? { ask: (question, signal) => ask({ ...question, agent: name }, signal) } : {}),
    ...(hooks ? { hooks: hooksForSubagent(hooks) } : {}),
  };
}

type OfModel = { readonly [Key in "fallBack" | "onWindowLearned" | "cacheMs"]: AgentOptions[Key] | undefined };

/** What is known of the parent's model and its vendor. */
function sameModel({ fallBack, onWindowLearned, cacheMs }: OfModel): Partial<AgentOptions> {
  return {
    ...(fallBack ? { fallBack } : {}),
    ...(onWindowLearned ? { onWindowLearned } : {}),
    ...(cacheMs === undefined ? {} : { cacheMs }),
  };
}

type Place = { readonly worktree: Worktree | undefined; readonly isFork: boolean };

function workspaceFor(parent: Workspace, { worktree, isFork }: Place): Workspace {
  const exported = new Map(parent.exported);
  if (worktree) return { ...createWorkspace(worktree.folder, { confined: parent.confined }), exported };
  if (isFork) return { ...parent, exported, seen: new Map(parent.seen), seenTexts: new Map(parent.seenTexts) };
  return { ...parent, exported, seen: new Map(), seenTexts: new Map(), todos: [] };
}

function placeOf({ folder, branch }: Worktree): string {
  return `[You work in ${folder}, a git worktree of the last commit on the branch ${branch}. Change files only there.]`;
}

async function endWorktree(
  worktree: Worktree | undefined,
  onEvent: (event: AgentEvent) => void,
): Promise<string | undefined> {
  if (worktree === undefined) return undefined;
  const { isKept, changedFiles } = await worktree.close();
  if (!isKept) return undefined;
  const files = changedFiles < 0 ? "" : `: ${changedFiles} ${changedFiles === 1 ? "file" : "files"} changed`;
  const text = `Its work is kept in the git worktree ${worktree.path} on the branch ${worktree.branch}${files}.`;
  onEvent({ type: "notice", text });
  return text;
}

function withPlace(output: ToolOutput, place: string | undefined): ToolOutput {
  return place === undefined ? output : { ...output, text: `${output.text}\n[${place}]` };
}

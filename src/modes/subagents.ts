import type { Agent } from "../agent/agent.ts";
import type { AgentOptions } from "../agent/agent-options.ts";
import type { NewSubagent, SubagentFurniture } from "../agent/prepare-subagent.ts";
import { createSubagents, type Subagents } from "../agent/subagent.ts";
import { exploreKind } from "../agents/built-in-kinds.ts";
import type { AppOptions, ContextOwner } from "../app.ts";
import { messageOf, ToolError } from "../contracts/errors.ts";
import type { PermissionPolicy } from "../contracts/permission.ts";
import type { Provider, ToolSchema } from "../contracts/provider.ts";
import type { AgentKind } from "../contracts/subagent.ts";
import { createWorktrees } from "../platform/git-worktree.ts";
import type { JobTable } from "../platform/jobs/job-table.ts";
import { projectSlug } from "../platform/project-slug.ts";
import { type SystemPromptOptions, systemPrompt } from "../prompt/system-prompt.ts";
import type { ModelChoice } from "../providers/choose-vendor.ts";
import type { KeptTexts } from "../session/kept-texts.ts";
import { openSubagentSession } from "../session/subagent-session.ts";

/** What sub-agents take from the app that starts them. */
export type SubagentHome = {
  readonly agent: Agent;
  readonly agentOptions: AgentOptions;
  readonly agentKinds: readonly AgentKind[];
  readonly jobs: JobTable;
  /** Of the parent's log. */
  readonly path: string;
  readonly prefix: { readonly system: string; readonly tools: readonly ToolSchema[]; readonly date: string };
  readonly promptOptions: SystemPromptOptions;
  readonly kept: KeptTexts;
  readonly choice: () => ModelChoice;
  readonly contextFor: (of: ContextOwner) => NonNullable<AgentOptions["createContext"]>;
  readonly connectOther: (model: string) => { readonly choice: ModelChoice; readonly provider: Provider };
  readonly readOnlyPolicy: () => PermissionPolicy;
};

/** Composition of sub-agents: which model, prompt, log and window each of them gets. */
export function openSubagents(options: AppOptions, home: SubagentHome): Subagents {
  const worktrees = createWorktrees({
    // beside the state folder: nothing in that may be written by tools
    folder: `${options.stateFolder}-worktrees/${projectSlug(options.cwd)}`,
    environment: options.childEnvironment,
  });
  return createSubagents({
    parent: () => ({ options: home.agentOptions, steps: home.agent.record.steps }),
    kinds: [exploreKind, ...home.agentKinds],
    jobs: home.jobs,
    makeWorktree: worktrees.make,
    readOnlyPolicy: home.readOnlyPolicy,
    furnish: (about) => furnish(about, options, home),
  });
}

function furnish(about: NewSubagent, options: AppOptions, home: SubagentHome): SubagentFurniture {
  const { kind, steps, workspace } = about;
  const { provider, choice, model, otherModel } = modelFor(kind, home);
  const system = systemFor(about, home);
  const tools = steps
    ? home.prefix.tools
    : about.tools.map(({ name, description, input }) => ({ name, description, input: input.json }));
  const { given = {}, ambient = {} } = options.remembered ?? {};
  const parent = home.path.replace(/^.*\//, "").replace(/\.jsonl$/, "");
  const session = openSubagentSession({
    parentPath: home.path,
    head: {
      ...{ cwd: about.isIsolated ? workspace.root : options.cwd, model: model(), ambient },
      program: `corecoder ${options.version}`,
      settings: otherModel === undefined ? given : { ...given, model: otherModel },
      ...{ parent, agent: about.name },
      ...(steps ? { forkedFrom: parent } : {}),
    },
    prefix: { system, tools, date: home.prefix.date },
    ...(steps ? { steps } : {}),
    durability: options.settings.durability === "strict" ? "strict" : "background",
    onTrouble: options.onNotice,
  });
  const text = `This agent's own session is ${session.id}: corecoder -r ${session.id} goes on with it.`;
  home.agentOptions.log?.({ type: "event", event: { type: "notice", text, parentCallId: about.callId } });
  // requests that begin alike belong into one cache
  const sessionId = kind === undefined ? home.agentOptions.sessionId : session.id;
  return {
    ...{ provider, model, system },
    log: session.log.append,
    keep: session.kept.keep,
    keepFile: session.kept.adopt,
    outputFolder: session.kept.folder,
    createContext: home.contextFor({ system, tools, provider, choice, kept: [session.kept, home.kept] }),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(otherModel === undefined ? {} : { otherModel }),
    close: session.close,
  };
}

type SubagentModel = Pick<AgentOptions, "provider" | "model"> & {
  readonly choice: () => ModelChoice;
  readonly otherModel?: string;
};

function modelFor(kind: AgentKind | undefined, { agentOptions, choice, connectOther }: SubagentHome): SubagentModel {
  const { provider, model } = agentOptions;
  if (kind?.model === undefined || kind.model === model()) return { provider, model, choice };
  try {
    const other = connectOther(kind.model);
    return {
      provider: () => other.provider,
      model: () => other.choice.model,
      choice: () => other.choice,
      otherModel: other.choice.model,
    };
  } catch (error) {
    throw new ToolError(`The agent ${kind.name} cannot be started: ${messageOf(error)}`, { cause: error });
  }
}

/** A kind has its own prompt; without tools of its own choice it also knows what extensions offer. */
function systemFor(
  { kind, workspace, isIsolated, steps }: NewSubagent,
  { prefix, promptOptions }: SubagentHome,
): string {
  if (steps) return prefix.system;
  const { environment, ...others } = promptOptions;
  const here = isIsolated ? { ...environment, cwd: workspace.root } : environment;
  if (kind === undefined) return isIsolated ? systemPrompt({ ...others, environment: here }) : prefix.system;
  const { sections: _1, background: _2, replacement: _3, ...bare } = others;
  return systemPrompt({
    ...(kind.tools === undefined ? others : bare),
    ...(kind === exploreKind ? { instructions: [] } : {}),
    environment: here,
    replacement: kind.prompt,
  });
}

import { homedir } from "node:os";
import { type Agent, createAgent as createConversationAgent } from "./agent/agent.ts";
import type { AgentOptions } from "./agent/agent-options.ts";
import { createPurse } from "./agent/purse.ts";
import type { Subagents } from "./agent/subagent.ts";
import { createWorkspace } from "./agent/workspace.ts";
import { childEnvironment } from "./config/child-environment.ts";
import { processEnvironment } from "./config/process-environment.ts";
import { createContextEngine } from "./context/engine.ts";
import { estimateTokens } from "./context/estimate-tokens.ts";
import { policies } from "./context/policies.ts";
import { typicalPrices } from "./context/pricing.ts";
import { exitCode, UserError } from "./contracts/errors.ts";
import type { PermissionMode } from "./contracts/permission.ts";
import type { Provider } from "./contracts/provider.ts";
import type { AnyTool } from "./contracts/tool.ts";
import type { LibraryHome } from "./library-subagents.ts";
import { createCommandJudge } from "./permissions/command-judge.ts";
import { createPolicy } from "./permissions/policy.ts";
import { createJobTable } from "./platform/jobs/job-table.ts";
import { realOrSame } from "./platform/paths.ts";
import { systemPrompt } from "./prompt/system-prompt.ts";
import { chooseVendor, type ModelChoice } from "./providers/choose-vendor.ts";
import { connect } from "./providers/connect.ts";
import { windowOf } from "./providers/model-limits.ts";
import { createPriceOf } from "./providers/prices.ts";
import { vendors } from "./providers/vendors.ts";
import { createTools } from "./tools/index.ts";
import { jobNotices } from "./tools/job-words.ts";

/** Everything but the model may be left out. Whatever an agent is made of (`AgentOptions`) can be given instead of what is made here. */
export type CreateAgentOptions = Partial<Omit<AgentOptions, "model" | "provider">> & {
  /** `gpt-5.5`, `anthropic/claude-sonnet-5`, …; a function when it may change between prompts. */
  readonly model: string | (() => string);
  /** A vendor's name, or a provider of your own. Left out: the vendor follows from the model's name. */
  readonly provider?: string | Provider | (() => Provider);
  /** Left out: from the vendor's own variable. */
  readonly apiKey?: string;
  readonly baseUrl?: string;
  /** Where it works; left out: the current folder. */
  readonly cwd?: string;
  /** Left out: "default", where everything but reading needs a yes from `ask`, and without `ask` is refused. */
  readonly permissionMode?: PermissionMode;
  /** Rules such as `bash(npm test)`. */
  readonly rules?: {
    readonly allow?: readonly string[];
    readonly ask?: readonly string[];
    readonly deny?: readonly string[];
  };
};

/** An agent with its tools, its permissions and its window. The command line makes its agents with this, and gives it all the parts. */
export function createAgent(options: CreateAgentOptions): Agent {
  const { model: given, provider: named, apiKey, baseUrl, cwd, permissionMode, rules: _, ...parts } = options;
  const model = typeof given === "string" ? given : given();
  const root = realOrSame(cwd ?? process.cwd());
  const connected = isProvider(named) ? undefined : connectTo({ model, provider: named, apiKey, baseUrl });
  const provider = isProvider(named) ? named : (connected?.provider as Provider);
  const coding = parts.tools ? undefined : codingTools(connected?.apiKey ?? "", () => home());
  const tools: readonly AnyTool[] = parts.tools ?? coding?.tools ?? [];
  const system = parts.system ?? defaultSystem(root);
  const windowTokens = (connected && windowOf(connected.choice)) ?? 128_000;
  const contextFor = (prompt: string) => parts.createContext ?? defaultContext({ system: prompt, tools, windowTokens });
  const priceOf = parts.priceOf ?? (connected && createPriceOf(() => connected.choice.vendor));
  let handles = 0;
  const whole: AgentOptions = {
    maxRounds: 200,
    retryBaseMs: 500,
    handles: { next: () => `#${++handles}` },
    ...(coding ? { pendingNotices: () => jobNotices(coding.jobs) } : {}),
    ...(priceOf ? { priceOf } : {}),
    // one for the agent and all its sub-agents
    ...(parts.maxBudgetUsd === undefined ? {} : { purse: createPurse({ limitUsd: parts.maxBudgetUsd, priceOf }) }),
    ...parts,
    createContext: contextFor(system),
    permissions: parts.permissions ?? policyOf(options),
    workspace: parts.workspace ?? createWorkspace(root, { confined: permissionMode !== "bypassPermissions" }),
    system,
    tools,
    model: typeof given === "string" ? () => connected?.choice.model ?? given : given,
    provider: typeof provider === "function" ? provider : () => provider,
  };
  const agent = createConversationAgent(whole);
  const home = (): NewHome => ({
    ...{ agent, options: whole, contextFor, systemFor: defaultSystem },
    readOnlyPolicy: () => policyOf({ ...options, permissionMode: "plan" }),
  });
  return agent;
}

type Window = { readonly system: string; readonly tools: readonly AnyTool[]; readonly windowTokens: number };

function defaultContext({ system, tools, windowTokens }: Window): NonNullable<AgentOptions["createContext"]> {
  return (summarise) =>
    createContextEngine({
      policy: policies.ledger,
      windowIs: "assumed",
      windowTokens,
      fixedTokens: estimateTokens(system) + estimateTokens(JSON.stringify(tools.map(({ input }) => input.json))),
      prices: typicalPrices,
      summarise,
      wholeText: () => undefined,
      pinned: () => [],
      now: Date.now,
    });
}

function policyOf({ permissionMode: mode = "default", rules }: CreateAgentOptions) {
  const { allow = [], ask = [], deny = [] } = rules ?? {};
  return createPolicy({ mode, allow, ask, deny, home: homedir() });
}

function isProvider(given: CreateAgentOptions["provider"]): given is Provider | (() => Provider) {
  return typeof given === "object" || typeof given === "function";
}

type Wanted = {
  readonly model: string;
  readonly provider: string | undefined;
  readonly apiKey: string | undefined;
  readonly baseUrl: string | undefined;
};

function connectTo({ model, provider, apiKey: given, baseUrl }: Wanted): {
  readonly provider: Provider;
  readonly choice: ModelChoice;
  readonly apiKey: string;
} {
  const choice = chooseVendor({ provider, model, baseUrl, keyVariable: undefined });
  const { vendor } = choice;
  const environment = processEnvironment();
  const variables = ["CORECODER_API_KEY", ...vendor.keyVariables];
  const apiKey = given ?? variables.map((name) => environment[name]).find((value) => value) ?? "";
  if (apiKey === "" && vendor.needsKey)
    throw new UserError(
      exitCode.auth,
      `No API key for ${vendor.name}. Give \`apiKey\`, or set ${variables.join(" or ")}.`,
    );
  const memory = { recall: () => ({}), learn: () => {} };
  return { provider: connect({ choice, apiKey, idleTimeoutMs: 120_000, memory }), choice, apiKey };
}

type NewHome = Omit<LibraryHome, "jobs" | "environment">;

/** Reading, writing, searching, running, and sub-agents, which are loaded for the first one. */
function codingTools(apiKey: string, home: () => NewHome) {
  const environment = childEnvironment(
    processEnvironment(),
    vendors.flatMap((vendor) => vendor.keyVariables),
    apiKey,
  );
  const jobs = createJobTable();
  let subagents: Subagents | undefined;
  const tools = createTools({
    parallelSafe: createCommandJudge().parallelSafe,
    environment: () => environment,
    jobs,
    async runSubagent(...call) {
      const { openLibrarySubagents } = await import("./library-subagents.ts");
      subagents ??= openLibrarySubagents({ ...home(), jobs, environment });
      return subagents.run(...call);
    },
  });
  return { tools, jobs };
}

function defaultSystem(cwd: string, replacement?: string): string {
  const date = new Date().toISOString().slice(0, 10);
  const environment = { cwd, platform: `${process.platform} ${process.arch}`, date, isGitRepository: false };
  return systemPrompt({ environment, instructions: [], ...(replacement === undefined ? {} : { replacement }) });
}

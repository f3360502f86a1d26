import { createAgent } from "./agent/agent.ts";
import type { AgentOptions } from "./agent/conversation.ts";
import { createRunSubagent } from "./agent/subagent.ts";
import { createWorkspace } from "./agent/workspace.ts";
import type { Settings } from "./config/settings-table.ts";
import { createContextEngine } from "./context/engine.ts";
import { estimateTokens } from "./context/estimate-tokens.ts";
import { policies } from "./context/policies.ts";
import { typicalPrices } from "./context/pricing.ts";
import type { PriceRow } from "./contracts/context.ts";
import { exitCode, UserError } from "./contracts/errors.ts";
import type { AskPermission, PermissionMode } from "./contracts/permission.ts";
import type { Provider } from "./contracts/provider.ts";
import { createCommandJudge } from "./permissions/command-judge.ts";
import { createPolicy } from "./permissions/policy.ts";
import { expandPath, realOrSame } from "./platform/paths.ts";
import { randomName } from "./platform/random-name.ts";
import { findInstructions } from "./prompt/find-instructions.ts";
import { systemPrompt } from "./prompt/system-prompt.ts";
import { chooseVendor, type ModelChoice } from "./providers/choose-vendor.ts";
import { connect } from "./providers/connect.ts";
import { createPriceOf } from "./providers/prices.ts";
import { createEndpointLessons } from "./session/endpoint-memory.ts";
import { createEventLog, newSessionId, projectSlug } from "./session/event-log.ts";
import { createKeptTexts } from "./session/kept-texts.ts";
import { createProjectRules } from "./session/project-rules.ts";
import { createTools } from "./tools/index.ts";

export type AppOptions = {
  readonly settings: Settings;
  readonly choice: ModelChoice;
  readonly apiKey: string;
  readonly stateFolder: string;
  readonly cwd: string;
  readonly home: string;
  readonly version: string;
  /** What commands see: free of keys. */
  readonly childEnvironment: Readonly<Record<string, string>>;
  readonly permissionMode: PermissionMode;
  readonly ask?: AskPermission;
  /** Prices are looked up only for readers that show money. */
  readonly wantsPrices: boolean;
  readonly onNotice: (text: string) => void;
};

/** The composition root: settings in, concrete objects out. The only file that knows everybody. */
export function createApp(options: AppOptions) {
  const { settings, stateFolder, cwd } = options;
  const id = newSessionId(new Date(), randomName(8));
  const folder = `${stateFolder}/sessions/${projectSlug(cwd)}`;
  const log = createEventLog({ id, folder, onTrouble: options.onNotice });
  const kept = createKeptTexts(`${folder}/${id}`);
  const { provider, model, setModel, memory } = createModelSwitch(options);
  const rules = createProjectRules(`${folder}/allowed.json`);
  const basePolicy = createPolicy({
    mode: options.permissionMode,
    allow: [...(settings.allowedTools ?? []), ...rules.read()],
    ask: [],
    deny: settings.disallowedTools ?? [],
    home: options.home,
    stateFolder,
  });
  const permissions = {
    ...basePolicy,
    allow(rule: string, lasting: "session" | "project") {
      basePolicy.allow(rule, lasting);
      if (lasting === "project") rules.add(rule);
    },
  };
  if (options.permissionMode === "auto")
    options.onNotice("Mode auto needs a sandbox, and this version has none: going on as acceptEdits.");
  const instructions = findInstructions(cwd);
  for (const warning of instructions.warnings) options.onNotice(warning);
  const judge = createCommandJudge();
  const tools = createTools({
    parallelSafe: judge.parallelSafe,
    environment: () => options.childEnvironment,
    runSubagent: createRunSubagent(() => agentOptions),
  });
  const system = systemPrompt({
    environment: {
      cwd,
      platform: `${process.platform} ${process.arch}`,
      date: new Date().toISOString().slice(0, 10),
      isGitRepository: instructions.isGitRepository,
    },
    instructions: instructions.files,
    ...(settings.systemPrompt === undefined ? {} : { replacement: settings.systemPrompt }),
    ...(settings.appendSystemPrompt === undefined ? {} : { addition: settings.appendSystemPrompt }),
  });
  const workspace = createWorkspace(realOrSame(cwd), {
    alsoWritable: (settings.addDirs ?? []).map((named) => realOrSame(expandPath(named, cwd))),
    confined: options.permissionMode !== "bypassPermissions",
  });
  let handles = 0;
  const agentOptions: AgentOptions = {
    provider,
    model,
    system,
    tools,
    workspace,
    permissions,
    log: log.append,
    maxRounds: settings.maxRounds ?? 200,
    retryBaseMs: settings.retryBaseMs ?? 500,
    keep: kept.keep,
    onWindowLearned: (tokens) => memory.learnWindow(provider().endpoint, model(), tokens),
    createContext: (summarise, where) =>
      createContextEngine({
        policy: policies[settings.contextPolicy ?? "ledger"],
        windowIs: settings.maxContext === undefined ? "assumed" : "known",
        windowTokens:
          settings.maxContext ??
          memory.windowOf(provider().endpoint, model()) ??
          options.choice.vendor.windowTokens ??
          128_000,
        fixedTokens:
          estimateTokens(system) +
          estimateTokens(JSON.stringify(tools.map(({ name, description, input }) => [name, description, input.json]))),
        prices: pricesOf(options.choice.vendor),
        summarise,
        pinned: () =>
          where.todos
            .filter(({ status }) => status !== "completed")
            .map(({ content, status }) => `${content} (${status})`),
        now: Date.now,
      }),
    outputFolder: kept.folder,
    handles: { next: () => `#${++handles}` },
    redact: (text) => (options.apiKey.length >= 8 ? text.replaceAll(options.apiKey, "[key hidden]") : text),
    ...(options.ask ? { ask: options.ask } : {}),
    ...(options.wantsPrices || settings.maxBudgetUsd !== undefined
      ? { priceOf: createPriceOf(options.choice.vendor.priceId ?? options.choice.vendor.name) }
      : {}),
    ...(settings.maxBudgetUsd === undefined ? {} : { maxBudgetUsd: settings.maxBudgetUsd }),
    ...(settings.temperature === undefined ? {} : { temperature: settings.temperature }),
    ...(settings.maxTokens === undefined ? {} : { maxTokens: settings.maxTokens }),
  };
  const agent = createAgent(agentOptions);
  log.append({ type: "session", version: 1, id, cwd, model: model(), program: `corecoder ${options.version}` });
  log.append({
    type: "request.prefix",
    system,
    tools: tools.map(({ name, description, input }) => ({ name, description, input: input.json })),
  });
  const cacheMs = pricesOf(options.choice.vendor).cacheMs;
  return {
    id,
    agent,
    cacheMs,
    tools,
    workspace,
    permissions,
    provider,
    model,
    setModel,
    logFolder: folder,
    close: log.close,
  };
}

/** The engine weighs ratios; what a token costs in money does not matter to it. */
function pricesOf({ cache }: ModelChoice["vendor"]): PriceRow {
  if (cache === undefined) return typicalPrices;
  return { ...typicalPrices, cacheRead: cache.read, cacheWrite: cache.write, cacheMs: cache.keptMs };
}

/** Model and provider may change between prompts: a name that belongs to another vendor takes its address along, but never our key. */
function createModelSwitch({ choice, settings, apiKey, stateFolder }: AppOptions) {
  const memory = createEndpointLessons(`${stateFolder}/endpoints.json`);
  const connectTo = (to: ModelChoice): Provider =>
    connect({ choice: to, apiKey, idleTimeoutMs: settings.streamIdleTimeoutMs ?? 120_000, memory });
  let current = choice;
  let provider = connectTo(choice);
  return {
    memory,
    provider: () => provider,
    model: () => current.model,
    setModel(name: string) {
      const next = chooseVendor({
        provider: settings.provider,
        model: name,
        baseUrl: settings.baseUrl,
        keyVariable: undefined,
      });
      if (next.baseUrl !== current.baseUrl) {
        throw new UserError(
          exitCode.usage,
          `${name} is a model of ${next.vendor.name}, this session talks to ${current.baseUrl}. Start corecoder with -m ${name}.`,
        );
      }
      current = next;
      provider = connectTo(next);
    },
  };
}

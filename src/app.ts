import { dirname } from "node:path";
import type { AgentOptions } from "./agent/agent-options.ts";
import { createPurse } from "./agent/purse.ts";
import { createSpending } from "./agent/spending.ts";
import type { Subagents } from "./agent/subagent.ts";
import { createWorkspace } from "./agent/workspace.ts";
import { effectiveRules } from "./config/effective-rules.ts";
import type { RememberedSettings } from "./config/session-layer.ts";
import { createContextEngine } from "./context/engine.ts";
import { estimateTokens } from "./context/estimate-tokens.ts";
import { policies } from "./context/policies.ts";
import { typicalPrices } from "./context/pricing.ts";
import type { Extension } from "./contracts/extension.ts";
import type { Part } from "./contracts/message.ts";
import type { AskPermission, PermissionMode } from "./contracts/permission.ts";
import type { Effort, Provider, ToolSchema } from "./contracts/provider.ts";
import type { AnyTool } from "./contracts/tool.ts";
import { createAgent } from "./create-agent.ts";
import { choosePrefix } from "./modes/choose-prefix.ts";
import { createModelSwitch, type ModelSwitchOptions } from "./modes/model-switch.ts";
import { createSandboxWish } from "./modes/sandbox-wish.ts";
import { openHooks, sayGoodbye } from "./modes/session-hooks.ts";
import { withTelemetry } from "./modes/telemetry.ts";
import { createCommandJudge } from "./permissions/command-judge.ts";
import { createHostRules } from "./permissions/host-rules.ts";
import { createPolicy } from "./permissions/policy.ts";
import { isSecretPath } from "./permissions/secret-paths.ts";
import { findsProgramsIn } from "./platform/find-program.ts";
import { createJobTable } from "./platform/jobs/job-table.ts";
import { expandPath, realOrSame } from "./platform/paths.ts";
import { projectSlug } from "./platform/project-slug.ts";
import { randomName } from "./platform/random-name.ts";
import { findInstructions } from "./prompt/find-instructions.ts";
import { instructionsSection } from "./prompt/sections/instructions.ts";
import { systemPrompt } from "./prompt/system-prompt.ts";
import type { ModelChoice } from "./providers/choose-vendor.ts";
import { limitsOf, windowOf } from "./providers/model-limits.ts";
import { priceRowOf } from "./providers/price-row.ts";
import { createPriceOf } from "./providers/prices.ts";
import { createKeptTexts, type KeptTexts } from "./session/kept-texts.ts";
import { createEventLog, newSessionId } from "./session/log/event-log.ts";
import { acquireLock, type SessionLock } from "./session/log/session-lock.ts";
import { createProjectRules } from "./session/project-rules.ts";
import type { SavedSession } from "./session/read-session.ts";
import { projectFolderOf } from "./session/session-place.ts";
import { createTools } from "./tools/index.ts";
import { jobNotices } from "./tools/job-words.ts";
import { createUndoStore } from "./undo/undo-store.ts";

export type AppOptions = ModelSwitchOptions & {
  readonly cwd: string;
  readonly home: string;
  readonly version: string;
  /** What commands see: free of keys. */
  readonly childEnvironment: Readonly<Record<string, string>>;
  readonly permissionMode: PermissionMode;
  /** May what the project's own files say be run, or reach outside of it? */
  readonly isTrusted?: boolean;
  /** What comes back when this session is taken up again. */
  readonly remembered?: RememberedSettings;
  /** A session to go on with, and the hold on it. */
  readonly resumed?: SavedSession;
  readonly lock?: SessionLock;
  /** When system prompt or tools have changed since: go on with the saved ones, as long as the vendor may still have them in its cache. */
  readonly prefix?: "current" | "saved";
  readonly ask?: AskPermission;
  /** What the person says while the agent works. */
  readonly pendingPrompts?: () => readonly (readonly Part[])[];
  readonly extensions?: readonly Extension[];
  /** Prices are looked up only for readers that show money. */
  readonly wantsPrices: boolean;
  readonly onNotice: (text: string) => void;
};

/** The composition root: settings in, concrete objects out. The only file that knows everybody. */
export function createApp(options: AppOptions) {
  const { settings, stateFolder, cwd } = options;
  const { resumed, extensions = [] } = options;
  const id = resumed?.id ?? newSessionId(new Date(), randomName(8));
  const folder = resumed ? dirname(resumed.path) : `${stateFolder}/sessions/${projectSlug(cwd)}`;
  const lock = options.lock ?? acquireLock(`${folder}/${id}.jsonl`);
  const durability = settings.durability === "strict" ? "strict" : "background";
  const log = createEventLog({ id, folder, onTrouble: options.onNotice, durability });
  const kept = createKeptTexts({ folder: `${folder}/${id}`, onKept: log.append, durability });
  kept.restore(resumed?.kept ?? []);
  const { provider, model, choice, vendorOf, keys, setModel, connectOther, memory } = createModelSwitch(options);
  const path = `${folder}/${id}.jsonl`;
  const rules = createProjectRules(`${projectFolderOf(path)}/allowed.json`);
  const given = effectiveRules(settings);
  const policyRules = {
    allow: [...given.allow, ...rules.read()],
    ask: given.ask,
    deny: given.deny,
    granted: () => extensions.flatMap((extension) => extension.grantedRules?.() ?? []),
    home: options.home,
    stateFolder,
  };
  const hostRules = createHostRules(policyRules);
  const basePolicy = createPolicy({
    ...policyRules,
    mode: options.permissionMode,
    sandboxed: createSandboxWish(options, () => basePolicy.mode),
    // chosen by nobody, the mode should not slow down what needs no sandbox; unless a command could put another `ls` where it is found first
    readersRunOutside: () =>
      settings.permissionMode === undefined &&
      settings.sandbox !== "always" &&
      !findsProgramsIn([cwd, ...(settings.addDirs ?? [])], options.childEnvironment.PATH),
  });
  const sessionRules = new Set<string>();
  const permissions = {
    ...basePolicy,
    get mode() {
      return basePolicy.mode;
    },
    allow(rule: string, lasting: "session" | "project") {
      basePolicy.allow(rule, lasting);
      if (lasting === "project") rules.add(rule);
      else sessionRules.add(rule);
    },
  };
  const instructions = findInstructions(cwd, {
    own: [`${stateFolder}/AGENTS.md`, `${options.home}/.claude/CLAUDE.md`],
    isTrusted: options.isTrusted ?? false,
    isSecret: isSecretPath,
  });
  for (const warning of instructions.warnings) options.onNotice(warning);
  const judge = createCommandJudge();
  const jobs = createJobTable();
  const agentKinds = extensions.flatMap((extension) => extension.agentKinds ?? []);
  const ownTools = createTools({
    parallelSafe: judge.parallelSafe,
    environment: () => options.childEnvironment,
    runSubagent: async (...call) => (await openedSubagents()).run(...call),
    agentKinds,
    jobs,
    commands: {
      ...(settings.overLimit === undefined ? {} : { overLimit: settings.overLimit }),
      sandbox: {
        ...{ home: options.home, stateFolder, network: settings.sandboxNetwork ?? "off" },
        ...(hostRules ? { hosts: { decide: hostRules.decide, answers: new Map() } } : {}),
      },
    },
  });
  const tools = [...ownTools, ...extensions.flatMap((extension) => extension.tools ?? [])];
  // the day on which a session began stays its day: another would change every byte behind it
  const date = resumed?.prefix?.date ?? new Date().toISOString().slice(0, 10);
  const environment = {
    cwd,
    platform: `${process.platform} ${process.arch}`,
    date,
    isGitRepository: instructions.isGitRepository,
  };
  const promptOptions = {
    environment,
    instructions: instructions.files,
    sections: extensions.flatMap((extension) => extension.section ?? []),
    background: extensions.flatMap((extension) => extension.background ?? []),
    ...(settings.systemPrompt === undefined ? {} : { replacement: settings.systemPrompt }),
    ...(settings.appendSystemPrompt === undefined ? {} : { addition: settings.appendSystemPrompt }),
  };
  const prefix = choosePrefix(options, {
    current: { system: systemPrompt(promptOptions), tools: tools.map(schemaOf), date },
    instructions: instructionsSection(instructions.files),
  });
  const { system } = prefix;
  const workspace = createWorkspace(realOrSame(cwd), {
    alsoWritable: (settings.addDirs ?? []).map((named) => realOrSame(expandPath(named, cwd))),
    confined: options.permissionMode !== "bypassPermissions",
    ...(resumed ? { saved: resumed.workspace } : {}),
  });
  const undo = createUndoStore({
    folder: `${stateFolder}/undo/${projectSlug(cwd)}`,
    roots: workspace.writableRoots,
    restores: workspace.confined ? "roots" : "everywhere",
    home: options.home,
    excluded: [realOrSame(stateFolder)],
  });
  const priceOf =
    options.wantsPrices || settings.maxBudgetUsd !== undefined ? createPriceOf(vendorOf, settings.models) : undefined;
  const spending = createSpending(priceOf);
  for (const call of resumed?.spent ?? []) spending.add(call.model, call.usage);
  const hooks = openHooks(options, {
    id,
    path: `${folder}/${id}.jsonl`,
    folder: () => workspace.cwd,
    mode: () => permissions.mode,
  });
  let handles = resumed?.lastHandle ?? 0;
  function switchModel(name: string): void {
    setModel(name);
    log.append({ type: "model", model: model(), settings: { model: name } });
    agent.refit();
    tellColdCache();
  }
  function tellColdCache(): void {
    const tokens = agent.history.findLast((message) => message.usage)?.usage?.inputTokens ?? 0;
    if (tokens >= worthTellingTokens)
      options.onNotice(
        `${model()} has nothing of this conversation in its cache: about ${Math.round(tokens / 1000)}k tokens are read anew with the next request.`,
      );
  }
  /** Of any agent of this session. */
  const contextFor =
    (of: ContextOwner): NonNullable<AgentOptions["createContext"]> =>
    (summarise, where) => {
      const own = of.choice().settings?.window;
      const learnedWindow = () => memory.windowOf(of.provider().endpoint, of.choice().model);
      return createContextEngine({
        policy: policies[settings.contextPolicy ?? "ledger"],
        windowIs: (settings.maxContext ?? own) === undefined ? "assumed" : "known",
        windowTokens: settings.maxContext ?? own ?? learnedWindow() ?? windowOf(of.choice()) ?? 128_000,
        ...(settings.maxContext === undefined && own === undefined ? { learnedWindow } : {}),
        fixedTokens:
          estimateTokens(of.system) +
          estimateTokens(JSON.stringify(of.tools.map(({ name, description, input }) => [name, description, input]))),
        prices: priceRowOf(of.choice(), typicalPrices),
        summarise,
        wholeText(handle) {
          const found = of.kept.map((texts) => texts.read(handle)).find(({ type }) => type === "text");
          return found?.type === "text" ? found.text : undefined;
        },
        pinned: () =>
          where.todos
            .filter(({ status }) => status !== "completed")
            .map(({ content, status }) => `${content} (${status})`),
        now: Date.now,
      });
    };
  const agentOptions: AgentOptions = {
    provider,
    model,
    system,
    tools,
    toolSchemas: prefix.tools,
    workspace,
    permissions,
    log(entry) {
      log.append(entry);
      if (entry.type === "event" && entry.event.type === "turn.finished") void log.flush();
    },
    tracker: undo.tracker,
    changeHistory: undo.history,
    spending,
    ...(resumed ? { restored: resumed } : {}),
    maxRounds: settings.maxRounds ?? 200,
    retryBaseMs: settings.retryBaseMs ?? 500,
    keep: kept.keep,
    keepFile: kept.adopt,
    fallBack() {
      const { fallbackModel } = settings;
      if (fallbackModel === undefined || fallbackModel === model()) return undefined;
      switchModel(fallbackModel);
      return model();
    },
    onWindowLearned: (tokens) => memory.learnWindow(provider().endpoint, model(), tokens),
    createContext: contextFor({ system, tools: prefix.tools, provider, choice, kept: [kept] }),
    outputFolder: kept.folder,
    handles: { next: () => `#${++handles}` },
    pendingNotices: () => jobNotices(jobs),
    ...(options.pendingPrompts ? { pendingPrompts: options.pendingPrompts } : {}),
    extensions,
    redact: (text) => keys().reduce((clean, key) => clean.replaceAll(key, "[key hidden]"), text),
    ...(options.ask ? { ask: options.ask } : {}),
    ...(hooks ? { hooks } : {}),
    ...(priceOf ? { priceOf } : {}),
    ...(settings.maxBudgetUsd === undefined
      ? {}
      : { purse: createPurse({ limitUsd: settings.maxBudgetUsd, priceOf, spent: resumed?.spent ?? [] }) }),
    longestAnswer: (name) => limitsOf(name)?.outputTokens,
    ...(settings.temperature === undefined ? {} : { temperature: settings.temperature }),
    ...(settings.maxTokens === undefined ? {} : { maxTokens: settings.maxTokens }),
    ...(settings.effort === undefined ? {} : { effort: settings.effort as Effort }),
    sessionId: id,
    // a vendor that tells of no cache is not watched for misses; after a switch it is the new one's time that counts
    ...(options.choice.vendor.cache ? { cacheMs: () => choice().vendor.cache?.keptMs ?? 0 } : {}),
  };
  const { agent, flush } = withTelemetry(createAgent(agentOptions), {
    ...{ settings, sessionId: id, model, version: options.version, onNotice: options.onNotice },
    vendor: () => choice().vendor.name,
  });
  let subagents: Subagents | undefined;
  /** Loaded for the first one. */
  async function openedSubagents(): Promise<Subagents> {
    const { openSubagents } = await import("./modes/subagents.ts");
    subagents ??= openSubagents(options, {
      ...{ agent, agentOptions, agentKinds, jobs, path, prefix, promptOptions, kept, choice },
      ...{ contextFor, connectOther, readOnlyPolicy: () => createPolicy({ ...policyRules, mode: "plan" }) },
    });
    return subagents;
  }
  if (resumed === undefined) {
    const { given, ambient } = options.remembered ?? { given: {}, ambient: {} };
    const program = `corecoder ${options.version}`;
    log.append({ type: "session", version: 2, id, cwd, model: model(), program, settings: given, ambient });
  } else if (resumed.model !== model()) {
    log.append({ type: "model", model: model(), settings: { model: model() } });
    tellColdCache();
  }
  if (prefix.isNew) log.append({ type: "request.prefix", system, tools: prefix.tools, date });
  const cacheMs = () => priceRowOf(choice(), typicalPrices).cacheMs;
  return {
    id,
    agent,
    cacheMs,
    tools,
    workspace,
    permissions,
    answeredRules: () => ({ project: rules.read(), session: [...sessionRules] }),
    runningJobs: () => jobs.list().filter(({ ended }) => ended === undefined),
    provider,
    model,
    vendorOf,
    setModel: switchModel,
    saveAs: (name: string) => log.append({ type: "name", name }),
    changeHistory: undo.history,
    logFolder: folder,
    path: `${folder}/${id}.jsonl`,
    /** The log is closed when this returns; what is left to tidy up takes a little longer. */
    async close(): Promise<void> {
      subagents?.stop();
      log.close();
      if (lock.held) lock.release();
      if (hooks?.wants("SessionEnd")) await sayGoodbye(hooks, options);
      await subagents?.settled();
      await flush();
      await undo.close();
    },
  };
}

/** Whose window it is. */
export type ContextOwner = {
  readonly system: string;
  readonly tools: readonly ToolSchema[];
  readonly provider: () => Provider;
  readonly choice: () => ModelChoice;
  /** Where its texts that were too long are, the nearest first. */
  readonly kept: readonly KeptTexts[];
};

/** Below this a cold cache is not worth a word. */
const worthTellingTokens = 4_000;

const schemaOf = ({ name, description, input }: AnyTool): ToolSchema => ({ name, description, input: input.json });

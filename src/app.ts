import { dirname } from "node:path";
import { createAgent } from "./agent/agent.ts";
import type { AgentOptions } from "./agent/conversation.ts";
import { createSpending } from "./agent/spending.ts";
import { createRunSubagent } from "./agent/subagent.ts";
import { createWorkspace } from "./agent/workspace.ts";
import { effectiveRules } from "./config/effective-rules.ts";
import type { RememberedSettings } from "./config/session-layer.ts";
import { createContextEngine } from "./context/engine.ts";
import { estimateTokens } from "./context/estimate-tokens.ts";
import { policies } from "./context/policies.ts";
import { typicalPrices } from "./context/pricing.ts";
import type { PriceRow } from "./contracts/context.ts";
import { exitCode, UserError } from "./contracts/errors.ts";
import type { Extension } from "./contracts/extension.ts";
import type { HookEventName, Hooks } from "./contracts/hook.ts";
import type { AskPermission, PermissionMode } from "./contracts/permission.ts";
import type { Effort, ToolSchema } from "./contracts/provider.ts";
import type { AnyTool } from "./contracts/tool.ts";
import { createModelSwitch, type ModelSwitchOptions } from "./modes/model-switch.ts";
import { createCommandJudge } from "./permissions/command-judge.ts";
import { createPolicy } from "./permissions/policy.ts";
import { createJobTable } from "./platform/jobs/job-table.ts";
import { expandPath, realOrSame } from "./platform/paths.ts";
import { randomName } from "./platform/random-name.ts";
import { findInstructions } from "./prompt/find-instructions.ts";
import { prefixChanges } from "./prompt/prefix-changes.ts";
import { instructionsSection } from "./prompt/sections/instructions.ts";
import { systemPrompt } from "./prompt/system-prompt.ts";
import type { ModelChoice } from "./providers/choose-vendor.ts";
import { windowOf } from "./providers/model-limits.ts";
import { createPriceOf } from "./providers/prices.ts";
import { createKeptTexts } from "./session/kept-texts.ts";
import { createEventLog, newSessionId, projectSlug } from "./session/log/event-log.ts";
import { acquireLock, type SessionLock } from "./session/log/session-lock.ts";
import { createProjectRules } from "./session/project-rules.ts";
import type { SavedSession } from "./session/read-session.ts";
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
  /** What comes back when this session is taken up again. */
  readonly remembered?: RememberedSettings;
  /** A session to go on with, and the hold on it. */
  readonly resumed?: SavedSession;
  readonly lock?: SessionLock;
  /** When system prompt or tools have changed since: go on with the saved ones, as long as the vendor may still have them in its cache. */
  readonly prefix?: "current" | "saved";
  readonly ask?: AskPermission;
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
  const { provider, model, choice, keys, setModel, memory } = createModelSwitch(options);
  const rules = createProjectRules(`${folder}/allowed.json`);
  const given = effectiveRules(settings);
  const basePolicy = createPolicy({
    mode: options.permissionMode,
    allow: [...given.allow, ...rules.read()],
    ask: given.ask,
    deny: given.deny,
    home: options.home,
    stateFolder,
    sandboxed: createSandboxWish(options),
  });
  const permissions = {
    ...basePolicy,
    allow(rule: string, lasting: "session" | "project") {
      basePolicy.allow(rule, lasting);
      if (lasting === "project") rules.add(rule);
    },
  };
  const instructions = findInstructions(cwd);
  for (const warning of instructions.warnings) options.onNotice(warning);
  const judge = createCommandJudge();
  const jobs = createJobTable();
  const ownTools = createTools({
    parallelSafe: judge.parallelSafe,
    environment: () => options.childEnvironment,
    runSubagent: createRunSubagent(() => agentOptions),
    jobs,
    commands: {
      ...(settings.overLimit === undefined ? {} : { overLimit: settings.overLimit }),
      sandbox: { home: options.home, stateFolder, network: settings.sandboxNetwork ?? "off" },
    },
  });
  const tools = [...ownTools, ...extensions.flatMap((extension) => extension.tools ?? [])];
  // the day on which a session began stays its day: another would change every byte behind it
  const date = resumed?.prefix?.date ?? new Date().toISOString().slice(0, 10);
  const currentSystem = systemPrompt({
    environment: {
      cwd,
      platform: `${process.platform} ${process.arch}`,
      date,
      isGitRepository: instructions.isGitRepository,
    },
    instructions: instructions.files,
    sections: extensions.flatMap((extension) => extension.section ?? []),
    ...(settings.systemPrompt === undefined ? {} : { replacement: settings.systemPrompt }),
    ...(settings.appendSystemPrompt === undefined ? {} : { addition: settings.appendSystemPrompt }),
  });
  const prefix = choosePrefix(options, {
    current: { system: currentSystem, tools: tools.map(schemaOf), date },
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
    options.wantsPrices || settings.maxBudgetUsd !== undefined
      ? createPriceOf(options.choice.vendor.priceId ?? options.choice.vendor.name)
      : undefined;
  const spending = createSpending(priceOf);
  for (const call of resumed?.spent ?? []) spending.add(call.model, call.usage);
  const hooks = openHooks(options, {
    id,
    path: `${folder}/${id}.jsonl`,
    folder: () => workspace.cwd,
  });
  let handles = resumed?.lastHandle ?? 0;
  function switchModel(name: string): void {
    setModel(name);
    log.append({ type: "model", model: model(), settings: { model: name } });
    agent.refit();
    const tokens = agent.history.findLast((message) => message.usage)?.usage?.inputTokens ?? 0;
    if (tokens >= worthTellingTokens)
      options.onNotice(
        `${model()} has nothing of this conversation in its cache: about ${Math.round(tokens / 1000)}k tokens are read anew with the next request.`,
      );
  }
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
    createContext: (summarise, where) =>
      createContextEngine({
        policy: policies[settings.contextPolicy ?? "ledger"],
        windowIs: settings.maxContext === undefined ? "assumed" : "known",
        windowTokens:
          settings.maxContext ?? memory.windowOf(provider().endpoint, model()) ?? windowOf(choice()) ?? 128_000,
        fixedTokens:
          estimateTokens(system) +
          estimateTokens(
            JSON.stringify(prefix.tools.map(({ name, description, input }) => [name, description, input])),
          ),
        prices: pricesOf(choice().vendor),
        summarise,
        wholeText(handle) {
          const found = kept.read(handle);
          return found.type === "text" ? found.text : undefined;
        },
        pinned: () =>
          where.todos
            .filter(({ status }) => status !== "completed")
            .map(({ content, status }) => `${content} (${status})`),
        now: Date.now,
      }),
    outputFolder: kept.folder,
    handles: { next: () => `#${++handles}` },
    pendingNotices: () => jobNotices(jobs),
    extensions,
    redact: (text) => keys().reduce((clean, key) => clean.replaceAll(key, "[key hidden]"), text),
    ...(options.ask ? { ask: options.ask } : {}),
    ...(hooks ? { hooks } : {}),
    ...(priceOf ? { priceOf } : {}),
    ...(settings.maxBudgetUsd === undefined ? {} : { maxBudgetUsd: settings.maxBudgetUsd }),
    ...(settings.temperature === undefined ? {} : { temperature: settings.temperature }),
    ...(settings.maxTokens === undefined ? {} : { maxTokens: settings.maxTokens }),
    ...(settings.effort === undefined ? {} : { effort: settings.effort as Effort }),
    sessionId: id,
    ...(options.choice.vendor.cache ? { cacheMs: options.choice.vendor.cache.keptMs } : {}),
  };
  const agent = createAgent(agentOptions);
  if (resumed === undefined) {
    const { given, ambient } = options.remembered ?? { given: {}, ambient: {} };
    const program = `corecoder ${options.version}`;
    log.append({ type: "session", version: 2, id, cwd, model: model(), program, settings: given, ambient });
  } else if (resumed.model !== model()) log.append({ type: "model", model: model(), settings: { model: model() } });
  if (prefix.isNew) log.append({ type: "request.prefix", system, tools: prefix.tools, date });
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
    setModel: switchModel,
    saveAs: (name: string) => log.append({ type: "name", name }),
    changeHistory: undo.history,
    logFolder: folder,
    path: `${folder}/${id}.jsonl`,
    /** The log is closed when this returns; what is left to tidy up takes a little longer. */
    async close(): Promise<void> {
      log.close();
      if (lock.held) lock.release();
      if (hooks?.wants("SessionEnd")) await sayGoodbye(hooks, options);
      await undo.close();
    },
  };
}

type HookedSession = { readonly id: string; readonly path: string; readonly folder: () => string };

/** Nothing is loaded where no hooks are set. */
function openHooks(options: AppOptions, { id, path, folder }: HookedSession): Hooks | undefined {
  const definitions = options.settings.hooks ?? [];
  if (definitions.length === 0) return undefined;
  const loaded = import("./hooks/hooks.ts").then(({ createHooks }) =>
    createHooks({
      definitions,
      folder: realOrSame(options.cwd),
      environment: options.childEnvironment,
      session: () => ({
        sessionId: id,
        transcriptPath: path,
        cwd: folder(),
        permissionMode: options.permissionMode,
      }),
    }),
  );
  return {
    wants: (name: HookEventName) => definitions.some(({ event }) => event === name),
    run: async (event, signal) => (await loaded).run(event, signal),
  };
}

async function sayGoodbye(hooks: Hooks, { ask, onNotice }: AppOptions): Promise<void> {
  const reason = ask === undefined ? "other" : "prompt_input_exit";
  const { notices } = await hooks.run({ type: "SessionEnd", reason }, AbortSignal.timeout(goodbyeMs));
  for (const notice of notices) onNotice(notice);
}

/** Longest that hooks may hold up the end of a session. */
const goodbyeMs = 10_000;

/** Whether commands run in a sandbox; tried when the first one is judged, not before. */
function createSandboxWish({ settings, permissionMode, onNotice }: AppOptions): () => Promise<boolean> {
  const wish = settings.sandbox ?? "auto";
  let isTold = false;
  return async () => {
    if (wish === "off" || (wish === "auto" && permissionMode !== "auto")) return false;
    const { findSandbox } = await import("./platform/sandbox/sandbox.ts");
    const found = await findSandbox();
    if (found.works) return true;
    if (wish === "always")
      throw new UserError(
        exitCode.config,
        `No sandbox (--sandbox always): ${found.because}. Use --sandbox off to go on without one.`,
      );
    if (!isTold) onNotice(`No sandbox: ${found.because}. Commands are treated as in acceptEdits.`);
    isTold = true;
    return false;
  };
}

/** Below this a cold cache is not worth a word. */
const worthTellingTokens = 4_000;

const schemaOf = ({ name, description, input }: AnyTool): ToolSchema => ({ name, description, input: input.json });

type Prefix = { readonly system: string; readonly tools: readonly ToolSchema[]; readonly date: string };

/** Every byte of the prefix is in the vendor's cache: a resumed session sends the one it was started with, unless something really changed. */
function choosePrefix(
  { resumed, prefix, onNotice }: AppOptions,
  { current, instructions }: { readonly current: Prefix; readonly instructions: string },
): Prefix & { readonly isNew: boolean } {
  const saved = resumed?.prefix as Prefix | undefined;
  if (saved === undefined) return { ...current, isNew: true };
  const changed = prefixChanges(saved, { ...current, instructions });
  if (changed.length === 0) return { ...current, isNew: false };
  const words = changed.join(" and ");
  if (prefix === "saved") {
    onNotice(`Since this session began ${words} changed; going on with what was.`);
    return { ...current, system: saved.system, tools: saved.tools, isNew: false };
  }
  const tokens = resumed?.record.messages.findLast((message) => message.usage)?.usage?.inputTokens ?? 0;
  onNotice(
    `Since this session began ${words} changed, so the vendor's cache of it cannot be used: about ${Math.round(tokens / 1000)}k tokens are read anew, once. --keep-prefix goes on with what was.`,
  );
  return { ...current, isNew: true };
}

/** The engine weighs ratios; what a token costs in money does not matter to it. */
function pricesOf({ cache }: ModelChoice["vendor"]): PriceRow {
  if (cache === undefined) return typicalPrices;
  return { ...typicalPrices, cacheRead: cache.read, cacheWrite: cache.write, cacheMs: cache.keptMs };
}

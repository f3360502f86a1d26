import type { HookDefinition } from "../contracts/hook.ts";
import type { McpServer } from "../contracts/mcp-server.ts";
import type { ModelSettingsTable, ProviderSettingsTable } from "../contracts/model-settings.ts";
import { permissionModes, type RuleLists } from "../contracts/permission.ts";

/**
 * Every setting, once: its key in settings files, its option, its variables, its check, its help. Parsing, `--help`, `corecoder config`
 * and the docs are made from this table.
 */
export type SettingKind =
  | "string"
  | "number"
  | "integer"
  | "boolean"
  | "list"
  | "rules"
  | "hooks"
  | "models"
  | "providers"
  | "servers"
  | { readonly oneOf: readonly string[] };

export type Setting = {
  readonly key: string;
  readonly kind: SettingKind;
  readonly option?: string;
  readonly short?: string;
  /** Other spellings of the option. */
  readonly aliases?: readonly string[];
  /** What stands for the value in help, `NAME`. */
  readonly value?: string;
  readonly variables?: readonly string[];
  readonly fallback?: string | number | boolean;
  readonly help: string;
  readonly min?: number;
  readonly max?: number;
  readonly secret?: true;
  /** An address that may hold a password: it is shown without. */
  readonly masked?: true;
  /**
   * May a project's files set it before the folder is trusted? Default yes. "with-key": only from the file the key comes from. "never": only
   * tightening is a project's business. "tightening": the part of it that tightens. "unpriced": all but prices, which could hide what is spent.
   */
  readonly fromProject?: "with-key" | "never" | "tightening" | "unpriced";
};

export const policies = ["ledger", "lean", "three-layer", "micro-auto", "four-layer", "none"] as const;

export const settingsTable = [
  {
    key: "model",
    kind: "string",
    option: "model",
    short: "m",
    value: "NAME",
    variables: ["CORECODER_MODEL"],
    help: "model to use (default gpt-5.5)",
  },
  {
    key: "fallbackModel",
    kind: "string",
    option: "fallback-model",
    value: "NAME",
    variables: ["CORECODER_FALLBACK_MODEL"],
    help: "model of the same vendor to go on with when the first one stays overloaded",
  },
  {
    key: "provider",
    kind: "string",
    option: "provider",
    value: "NAME",
    variables: ["CORECODER_PROVIDER"],
    fromProject: "with-key",
    help: "vendor: openai, deepseek, ollama, …, or one of your settings (default: from the model's name)",
  },
  {
    key: "baseUrl",
    kind: "string",
    option: "base-url",
    value: "URL",
    variables: ["CORECODER_BASE_URL", "OPENAI_BASE_URL"],
    fromProject: "with-key",
    help: "address of the API (default: the vendor's)",
  },
  {
    key: "apiKey",
    kind: "string",
    option: "api-key",
    value: "KEY",
    secret: true,
    variables: ["CORECODER_API_KEY", "OPENAI_API_KEY", "DEEPSEEK_API_KEY"],
    help: "key for the API",
  },
  {
    key: "providers",
    kind: "providers",
    fromProject: "never",
    help: "vendors of your own by name, each with baseUrl, protocol, keyVariables, headers (docs/models.md)",
  },
  {
    key: "models",
    kind: "models",
    fromProject: "unpriced",
    help: "what models take and cost, by name, where you know better: window, output, images, price (docs/models.md)",
  },
  {
    key: "httpsProxy",
    kind: "string",
    variables: ["https_proxy", "HTTPS_PROXY"],
    masked: true,
    fromProject: "with-key",
    help: "proxy for https addresses, such as http://NAME:PASSWORD@host:8080",
  },
  {
    key: "httpProxy",
    kind: "string",
    variables: ["http_proxy", "HTTP_PROXY"],
    masked: true,
    fromProject: "with-key",
    help: "proxy for http addresses",
  },
  {
    key: "allProxy",
    kind: "string",
    variables: ["all_proxy", "ALL_PROXY"],
    masked: true,
    fromProject: "with-key",
    help: "proxy for all addresses that have none of their own",
  },
  {
    key: "noProxy",
    kind: "string",
    variables: ["no_proxy", "NO_PROXY"],
    fromProject: "with-key",
    help: "hosts, domains, addresses and ranges (10.0.0.0/8) that need no proxy, perhaps with a port; * means all",
  },
  {
    key: "temperature",
    kind: "number",
    option: "temperature",
    value: "N",
    variables: ["CORECODER_TEMPERATURE"],
    min: 0,
    max: 2,
    help: "sampling temperature (default: not sent)",
  },
  {
    key: "maxTokens",
    kind: "integer",
    option: "max-tokens",
    value: "N",
    variables: ["CORECODER_MAX_TOKENS"],
    min: 1,
    help: "longest answer in tokens (default: not sent)",
  },
  {
    key: "effort",
    kind: { oneOf: ["off", "low", "medium", "high", "max"] },
    option: "effort",
    value: "LEVEL",
    variables: ["CORECODER_EFFORT"],
    help: "how hard the model thinks: off, low, medium, high, max (default: the vendor's)",
  },
  {
    key: "maxContext",
    kind: "integer",
    option: "max-context",
    value: "N",
    variables: ["CORECODER_MAX_CONTEXT"],
    min: 1,
    help: "size of the context window in tokens",
  },
  {
    key: "maxRounds",
    kind: "integer",
    option: "max-rounds",
    value: "N",
    variables: ["CORECODER_MAX_ROUNDS"],
    min: 1,
    fallback: 200,
    help: "model calls for one prompt (default 200)",
  },
  {
    key: "maxBudgetUsd",
    kind: "number",
    option: "max-budget-usd",
    value: "N",
    variables: ["CORECODER_MAX_BUDGET_USD"],
    min: 0,
    help: "stop when this much is spent",
  },
  {
    key: "contextPolicy",
    kind: { oneOf: policies },
    option: "context-policy",
    value: "NAME",
    variables: ["CORECODER_CONTEXT_POLICY"],
    help: "how the window is kept small",
  },
  {
    key: "streamIdleTimeoutMs",
    kind: "integer",
    option: "stream-idle-timeout",
    value: "MS",
    variables: ["CORECODER_STREAM_IDLE_TIMEOUT_MS"],
    min: 1,
    fallback: 120_000,
    help: "silence after which a stream is given up and tried again (default 120000)",
  },
  {
    key: "memory",
    kind: { oneOf: ["on", "off"] },
    variables: ["CORECODER_MEMORY"],
    help: "what is remembered across sessions: on (default), or off: nothing is read, kept or offered to the model",
  },
  {
    key: "durability",
    kind: { oneOf: ["background", "strict"] },
    variables: ["CORECODER_DURABILITY"],
    help: "when the session log reaches the disk: within 50 ms in the background (default), or strict: before anything goes on",
  },
  {
    key: "retryBaseMs",
    kind: "integer",
    variables: ["CORECODER_RETRY_BASE_MS"],
    min: 0,
    fallback: 500,
    help: "first wait before a retry; doubles each time",
  },
  {
    key: "permissionMode",
    kind: { oneOf: permissionModes },
    option: "permission-mode",
    value: "MODE",
    variables: ["CORECODER_PERMISSION_MODE"],
    fromProject: "never",
    help: "default, acceptEdits, plan, auto or bypassPermissions",
  },
  {
    key: "allowedTools",
    kind: "list",
    option: "allowed-tools",
    aliases: ["allowedTools"],
    value: "LIST",
    fromProject: "never",
    help: "rules that need no question, such as 'bash(npm test)'",
  },
  {
    key: "disallowedTools",
    kind: "list",
    option: "disallowed-tools",
    aliases: ["disallowedTools"],
    value: "LIST",
    help: "rules that are always refused",
  },
  {
    key: "permissions",
    kind: "rules",
    fromProject: "tightening",
    help: 'rules by what they do: {"allow": […], "ask": […], "deny": […]}; deny beats ask beats allow',
  },
  {
    key: "hooks",
    kind: "hooks",
    fromProject: "never",
    help: "commands to run when something happens (docs/hooks.md)",
  },
  {
    key: "mcpServers",
    kind: "servers",
    fromProject: "never",
    help: "servers of tools, as in .mcp.json (docs/mcp.md)",
  },
  {
    key: "mcpConfig",
    kind: "list",
    option: "mcp-config",
    value: "FILE|JSON",
    fromProject: "never",
    help: "more servers of tools: a file like .mcp.json, or its content (may be repeated)",
  },
  {
    key: "mcpDirectTools",
    kind: "integer",
    min: 0,
    fallback: 8,
    help: "up to so many tools of servers are sent with their schemas, of more only the names (default 8)",
  },
  {
    key: "mcpTimeoutMs",
    kind: "integer",
    variables: ["CORECODER_MCP_TIMEOUT_MS"],
    min: 1,
    fallback: 60_000,
    help: "longest that a call of a server's tool may take",
  },
  {
    key: "mcpStartTimeoutMs",
    kind: "integer",
    variables: ["CORECODER_MCP_START_TIMEOUT_MS"],
    min: 1,
    fallback: 30_000,
    help: "longest that a server of tools may take to start",
  },
  {
    key: "mcpWaitMs",
    kind: "integer",
    variables: ["CORECODER_MCP_WAIT_MS"],
    min: 0,
    fallback: 5_000,
    help: "longest that a session waits for servers whose tools it has never seen",
  },
  {
    key: "addDirs",
    kind: "list",
    option: "add-dir",
    value: "DIR",
    fromProject: "never",
    help: "one more folder to write in (may be repeated)",
  },
  {
    key: "untrustedHooks",
    kind: { oneOf: ["refuse", "ignore"] },
    option: "untrusted-hooks",
    value: "WHAT",
    variables: ["CORECODER_UNTRUSTED_HOOKS"],
    fromProject: "never",
    help: "when nobody can be asked and the folder's settings name hooks that are not trusted: refuse (end with 52), ignore (go on without them; default refuse)",
  },
  {
    key: "sandbox",
    kind: { oneOf: ["auto", "always", "off"] },
    option: "sandbox",
    value: "WHEN",
    variables: ["CORECODER_SANDBOX"],
    fromProject: "never",
    help: "run commands in a sandbox: auto (in permission mode auto), always, off (default auto)",
  },
  {
    key: "sandboxNetwork",
    kind: { oneOf: ["off", "on"] },
    option: "sandbox-network",
    value: "STATE",
    variables: ["CORECODER_SANDBOX_NETWORK"],
    fromProject: "never",
    help: "network inside the sandbox: off or on (default off)",
  },
  {
    key: "webFetch",
    kind: { oneOf: ["off", "on"] },
    option: "web-fetch",
    value: "STATE",
    variables: ["CORECODER_WEB_FETCH"],
    fromProject: "never",
    help: "offer the tool web_fetch: on or off (default: on where a rule such as network(docs.example.org) exists)",
  },
  {
    key: "overLimit",
    kind: { oneOf: ["end", "background"] },
    variables: ["CORECODER_OVER_LIMIT"],
    help: "what becomes of a command over its time limit: end (default), or background: it goes on as a job",
  },
  {
    key: "systemPrompt",
    kind: "string",
    option: "system-prompt",
    value: "TEXT",
    fromProject: "never",
    help: "replaces the system prompt",
  },
  {
    key: "appendSystemPrompt",
    kind: "string",
    option: "append-system-prompt",
    value: "TEXT",
    help: "added to the system prompt",
  },
  {
    key: "interface",
    kind: { oneOf: ["full", "plain"] },
    variables: ["CORECODER_INTERFACE"],
    help: "full, or plain: a line at a time, for screen readers and simple terminals (default: by the terminal)",
  },
  {
    key: "theme",
    kind: { oneOf: ["auto", "dark", "light", "high-contrast", "ansi"] },
    variables: ["CORECODER_THEME"],
    help: "colours of the terminal interface: auto, dark, light, high-contrast, ansi (default auto)",
  },
  {
    key: "editorKeys",
    kind: { oneOf: ["emacs", "vim"] },
    variables: ["CORECODER_EDITOR_KEYS"],
    help: "keys of the prompt: emacs (default) or vim",
  },
  {
    key: "keys",
    kind: "list",
    fromProject: "never",
    help: "keys of your own as action=key, such as externalEditor=ctrl+x",
  },
  {
    key: "notifications",
    kind: { oneOf: ["on", "off"] },
    variables: ["CORECODER_NOTIFICATIONS"],
    help: "bell or desktop notification when a long turn ends or a question waits: on (default) or off",
  },
  {
    key: "sessionMaxAgeDays",
    kind: "number",
    option: "session-max-age-days",
    value: "N",
    min: 0,
    fromProject: "never",
    help: "sessions prune: sessions not used for longer go (default: none go)",
  },
  {
    key: "sessionMaxTotalMb",
    kind: "number",
    option: "session-max-total-mb",
    value: "N",
    min: 0,
    fromProject: "never",
    help: "sessions prune: the oldest go until all take no more than this (default: none go)",
  },
  { key: "trustedFolders", kind: "list", fromProject: "never", help: "folders whose files may set everything" },
  {
    key: "otlpEndpoint",
    kind: "string",
    variables: ["OTEL_EXPORTER_OTLP_ENDPOINT"],
    fromProject: "never",
    help: "address of an OpenTelemetry collector that is told of every prompt, model call and tool (names and numbers, no texts); without it nothing is ever sent",
  },
  {
    key: "otlpDisabled",
    kind: "boolean",
    variables: ["OTEL_SDK_DISABLED"],
    fromProject: "never",
    help: "the collector is told nothing, whatever its address",
  },
  {
    key: "otlpHeaders",
    kind: "string",
    variables: ["OTEL_EXPORTER_OTLP_HEADERS"],
    secret: true,
    fromProject: "never",
    help: "headers for the collector, `name=value,name=value`",
  },
  {
    key: "otlpServiceName",
    kind: "string",
    variables: ["OTEL_SERVICE_NAME"],
    help: "what the collector calls this program (default corecoder)",
  },
] as const satisfies readonly Setting[];

export type SettingKey = (typeof settingsTable)[number]["key"];

type ValueOf<K> = K extends "number" | "integer"
  ? number
  : K extends "boolean"
    ? boolean
    : K extends "list"
      ? readonly string[]
      : K extends "rules"
        ? RuleLists
        : K extends "hooks"
          ? readonly HookDefinition[]
          : K extends "models"
            ? ModelSettingsTable
            : K extends "providers"
              ? ProviderSettingsTable
              : K extends "servers"
                ? readonly McpServer[]
                : K extends { oneOf: readonly (infer V)[] }
                  ? V
                  : string;

/** The effective settings, typed from the table. */
export type Settings = { readonly [S in (typeof settingsTable)[number] as S["key"]]: ValueOf<S["kind"]> | undefined };

export function settingFor(key: string): Setting | undefined {
  return settingsTable.find((setting) => setting.key === key);
}

import type { WireName } from "../contracts/model-settings.ts";
import {
  anthropicEffort,
  deepSeekEffort,
  type EffortRule,
  geminiEffort,
  groqEffort,
  mistralEffort,
  moonshotEffort,
  openAiEffort,
  openRouterEffort,
  plainEffort,
  qwenEffort,
  templateEffort,
  xaiEffort,
  zaiEffort,
} from "./effort.ts";
import type { BodyFields, CallIdRule } from "./protocol.ts";

/** Vendors are rows of data. An OpenAI-compatible vendor is one more row. */
export type Vendor = {
  readonly name: string;
  readonly baseUrl: string;
  /** The address above is an example: everybody has their own and must give it. */
  readonly needsAddress?: true;
  /** The variable that usually holds the person's address, and the one for the version of the API. */
  readonly addressVariable?: string;
  readonly versionVariable?: string;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Its server says how large the window is that it gives a model, so it is asked. */
  readonly tellsWindow?: true;
  /** Wire format; Chat Completions unless said otherwise. */
  readonly protocol?: WireName;
  /** The wire at an address of the person's own, where it differs. */
  readonly protocolElsewhere?: WireName;
  /** What comes behind an address that is just a host, where that is not the wire's own path. */
  readonly pathPattern?: string;
  /** Header that takes the key, where it is not the wire's own. */
  readonly keyHeader?: string;
  /** Environment variables that hold its key, best first; none for local servers. */
  readonly keyVariables: readonly string[];
  /** Model names that belong to it beyond doubt. */
  readonly models: RegExp | undefined;
  readonly defaultModel?: string;
  /** Wants the thinking that led to a tool call back with it; "always": refuses an answer without thinking. */
  readonly replayThinking?: true | "always";
  readonly needsKey: boolean;
  /** Cuts prompts that are too long without a word. */
  readonly cutsSilently?: true;
  /** What its prompt cache costs, as multiples of the input price, and how long it is kept. */
  readonly cache?: { readonly read: number; readonly write: number; readonly keptMs: number };
  /** The field that keeps the requests of a session on one machine, where its cache is. */
  readonly cacheKeyField?: string;
  /** Tokens its usual models take; 128,000 when not said. */
  readonly windowTokens?: number;
  /** How hard to think, in its words. */
  readonly effort?: readonly EffortRule[];
  /** Fields that some of its models want in every request. */
  readonly fields?: readonly { readonly models?: RegExp; readonly fields: BodyFields }[];
  /** What it accepts as the id of a call, where that is less than the wire allows. */
  readonly callIds?: CallIdRule;
  /** Its id in the price list, where it differs. */
  readonly priceId?: string;
};

const minutes = 60_000;
const atMost40: CallIdRule = { pattern: /./, longest: 40 };

export const vendors: readonly Vendor[] = [
  {
    name: "openai",
    cache: { read: 0.1, write: 1, keptMs: 30 * minutes },
    cacheKeyField: "prompt_cache_key",
    windowTokens: 272_000,
    baseUrl: "https://api.openai.com/v1",
    // its newer models take tools on this wire only; whatever else speaks like OpenAI speaks Chat Completions
    protocol: "openai-responses",
    protocolElsewhere: "openai-chat",
    keyVariables: ["OPENAI_API_KEY"],
    models: /^(gpt-(?!oss)|o\d|chatgpt-|codex-)/,
    defaultModel: "gpt-5.5",
    effort: openAiEffort,
    callIds: atMost40,
    needsKey: true,
  },
  {
    name: "openai-responses",
    cache: { read: 0.1, write: 1, keptMs: 30 * minutes },
    cacheKeyField: "prompt_cache_key",
    windowTokens: 272_000,
    baseUrl: "https://api.openai.com/v1",
    protocol: "openai-responses",
    keyVariables: ["OPENAI_API_KEY"],
    models: undefined,
    defaultModel: "gpt-5.5",
    effort: openAiEffort,
    needsKey: true,
    priceId: "openai",
  },
  {
    name: "deepseek",
    cache: { read: 0.1, write: 1, keptMs: 120 * minutes },
    baseUrl: "https://api.deepseek.com/v1",
    keyVariables: ["DEEPSEEK_API_KEY"],
    models: /^deepseek-/,
    defaultModel: "deepseek-chat",
    replayThinking: "always",
    effort: deepSeekEffort,
    needsKey: true,
  },
  {
    name: "anthropic",
    cache: { read: 0.1, write: 1.25, keptMs: 5 * minutes },
    windowTokens: 200_000,
    baseUrl: "https://api.anthropic.com/v1",
    protocol: "anthropic-messages",
    keyVariables: ["ANTHROPIC_API_KEY"],
    models: /^claude-/,
    effort: anthropicEffort,
    needsKey: true,
  },
  {
    name: "gemini",
    cache: { read: 0.1, write: 1, keptMs: 5 * minutes },
    windowTokens: 1_000_000,
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    protocol: "gemini-generate-content",
    keyVariables: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    models: /^gemini-/,
    effort: geminiEffort,
    needsKey: true,
    priceId: "google",
  },
  {
    name: "openrouter",
    tellsWindow: true,
    cacheKeyField: "session_id",
    baseUrl: "https://openrouter.ai/api/v1",
    keyVariables: ["OPENROUTER_API_KEY"],
    models: undefined,
    replayThinking: true,
    effort: openRouterEffort,
    // Claude caches nothing unless it is asked to
    fields: [{ models: /^anthropic\//, fields: { cache_control: { type: "ephemeral" } } }],
    needsKey: true,
  },
  {
    name: "xai",
    cache: { read: 0.25, write: 1, keptMs: 5 * minutes },
    cacheKeyField: "prompt_cache_key",
    windowTokens: 256_000,
    baseUrl: "https://api.x.ai/v1",
    protocol: "openai-responses",
    protocolElsewhere: "openai-chat",
    keyVariables: ["XAI_API_KEY"],
    models: /^grok-/,
    effort: xaiEffort,
    needsKey: true,
    priceId: "x-ai",
  },
  {
    name: "mistral",
    cache: { read: 0.1, write: 1, keptMs: 5 * minutes },
    cacheKeyField: "prompt_cache_key",
    baseUrl: "https://api.mistral.ai/v1",
    keyVariables: ["MISTRAL_API_KEY"],
    models: /^(mistral-|ministral-|codestral|devstral|magistral)/,
    effort: mistralEffort,
    callIds: { pattern: /^[a-zA-Z0-9]{9}$/, longest: 9 },
    needsKey: true,
  },
  {
    name: "groq",
    cache: { read: 0.5, write: 1, keptMs: 120 * minutes },
    baseUrl: "https://api.groq.com/openai/v1",
    keyVariables: ["GROQ_API_KEY"],
    models: undefined,
    effort: groqEffort,
    needsKey: true,
  },
  {
    name: "moonshot",
    cache: { read: 0.25, write: 1, keptMs: 5 * minutes },
    cacheKeyField: "prompt_cache_key",
    windowTokens: 256_000,
    baseUrl: "https://api.moonshot.ai/v1",
    keyVariables: ["MOONSHOT_API_KEY", "KIMI_API_KEY"],
    models: /^(kimi-|moonshot-)/,
    replayThinking: "always",
    effort: moonshotEffort,
    needsKey: true,
    priceId: "moonshotai",
  },
  {
    name: "qwen",
    cache: { read: 0.2, write: 1, keptMs: 5 * minutes },
    windowTokens: 256_000,
    baseUrl: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
    keyVariables: ["DASHSCOPE_API_KEY"],
    models: /^(qwen|qwq)/,
    replayThinking: true,
    effort: qwenEffort,
    needsKey: true,
  },
  {
    name: "zai",
    cache: { read: 0.2, write: 1, keptMs: 5 * minutes },
    windowTokens: 200_000,
    baseUrl: "https://api.z.ai/api/paas/v4",
    keyVariables: ["ZAI_API_KEY"],
    models: /^glm-/,
    replayThinking: true,
    effort: zaiEffort,
    needsKey: true,
  },
  {
    name: "azure",
    cache: { read: 0.1, write: 1, keptMs: 30 * minutes },
    cacheKeyField: "prompt_cache_key",
    windowTokens: 272_000,
    baseUrl: "https://NAME.openai.azure.com",
    needsAddress: true,
    addressVariable: "AZURE_OPENAI_ENDPOINT",
    versionVariable: "AZURE_OPENAI_API_VERSION",
    pathPattern: "/openai/deployments/{model}{path}?api-version=2025-04-01-preview",
    keyHeader: "api-key",
    keyVariables: ["AZURE_OPENAI_API_KEY"],
    models: undefined,
    effort: openAiEffort,
    callIds: atMost40,
    needsKey: true,
  },
  {
    name: "ollama",
    tellsWindow: true,
    cutsSilently: true,
    baseUrl: "http://127.0.0.1:11434/v1",
    keyVariables: [],
    models: undefined,
    replayThinking: true,
    effort: plainEffort,
    needsKey: false,
  },
  {
    name: "lmstudio",
    tellsWindow: true,
    baseUrl: "http://127.0.0.1:1234/v1",
    keyVariables: [],
    models: undefined,
    replayThinking: true,
    effort: plainEffort,
    needsKey: false,
  },
  {
    name: "llamacpp",
    tellsWindow: true,
    baseUrl: "http://127.0.0.1:8080/v1",
    keyVariables: [],
    models: undefined,
    replayThinking: true,
    effort: templateEffort,
    needsKey: false,
  },
  {
    name: "vllm",
    tellsWindow: true,
    baseUrl: "http://127.0.0.1:8000/v1",
    keyVariables: [],
    models: undefined,
    replayThinking: true,
    effort: templateEffort,
    needsKey: false,
  },
  {
    name: "custom",
    tellsWindow: true,
    baseUrl: "https://HOST/v1",
    needsAddress: true,
    keyVariables: [],
    models: undefined,
    replayThinking: true,
    effort: plainEffort,
    needsKey: false,
  },
];

/** `own`: rows of the person's settings. */
export function vendorNamed(name: string, own: readonly Vendor[] = []): Vendor | undefined {
  return [...vendors, ...own].find((vendor) => vendor.name === name);
}

/** The vendor a model name belongs to: `deepseek/…` by its prefix, `claude-…` by its family. */
export function vendorOfModel(
  model: string,
  own: readonly Vendor[] = [],
): { vendor: Vendor; model: string } | undefined {
  const slash = model.indexOf("/");
  const prefixed = slash > 0 ? vendorNamed(model.slice(0, slash), own) : undefined;
  if (prefixed) return { vendor: prefixed, model: model.slice(slash + 1) };
  const vendor = vendors.find(({ models }) => models?.test(model));
  return vendor && { vendor, model };
}

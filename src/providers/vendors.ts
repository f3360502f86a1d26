/** Vendors are rows of data. An OpenAI-compatible vendor is one more row. */
export type Vendor = {
  readonly name: string;
  readonly baseUrl: string;
  /** Wire format; Chat Completions unless said otherwise. */
  readonly protocol?: "anthropic-messages";
  /** Environment variables that hold its key, best first; none for local servers. */
  readonly keyVariables: readonly string[];
  /** Model names that belong to it beyond doubt. */
  readonly models: RegExp | undefined;
  readonly defaultModel?: string;
  /** Wants the thinking that led to a tool call back with it. */
  readonly replayThinking?: true;
  readonly needsKey: boolean;
  /** Cuts prompts that are too long without a word. */
  readonly cutsSilently?: true;
  /** What its prompt cache costs, as multiples of the input price, and how long it is kept. */
  readonly cache?: { readonly read: number; readonly write: number; readonly keptMs: number };
  /** Tokens its usual models take; 128,000 when not said. */
  readonly windowTokens?: number;
  /** Its id in the price list, where it differs. */
  readonly priceId?: string;
};

export const vendors: readonly Vendor[] = [
  {
    name: "openai",
    cache: { read: 0.1, write: 1, keptMs: 600_000 },
    windowTokens: 272_000,
    baseUrl: "https://api.openai.com/v1",
    keyVariables: ["OPENAI_API_KEY"],
    models: /^(gpt-|o\d|chatgpt-|codex-)/,
    defaultModel: "gpt-5.5",
    needsKey: true,
  },
  {
    name: "deepseek",
    cache: { read: 0.1, write: 1, keptMs: 7_200_000 },
    baseUrl: "https://api.deepseek.com/v1",
    keyVariables: ["DEEPSEEK_API_KEY"],
    models: /^deepseek-/,
    defaultModel: "deepseek-chat",
    replayThinking: true,
    needsKey: true,
  },
  {
    name: "anthropic",
    cache: { read: 0.1, write: 1.25, keptMs: 300_000 },
    windowTokens: 200_000,
    baseUrl: "https://api.anthropic.com/v1",
    protocol: "anthropic-messages",
    keyVariables: ["ANTHROPIC_API_KEY"],
    models: /^claude-/,
    needsKey: true,
  },
  {
    name: "gemini",
    cache: { read: 0.1, write: 1, keptMs: 300_000 },
    windowTokens: 1_000_000,
    baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
    keyVariables: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    models: /^gemini-/,
    needsKey: true,
    priceId: "google",
  },
  {
    name: "openrouter",
    baseUrl: "https://openrouter.ai/api/v1",
    keyVariables: ["OPENROUTER_API_KEY"],
    models: undefined,
    replayThinking: true,
    needsKey: true,
  },
  {
    name: "xai",
    cache: { read: 0.25, write: 1, keptMs: 300_000 },
    windowTokens: 256_000,
    baseUrl: "https://api.x.ai/v1",
    keyVariables: ["XAI_API_KEY"],
    models: /^grok-/,
    needsKey: true,
    priceId: "x-ai",
  },
  {
    name: "mistral",
    baseUrl: "https://api.mistral.ai/v1",
    keyVariables: ["MISTRAL_API_KEY"],
    models: /^(mistral-|codestral|devstral|magistral)/,
    needsKey: true,
  },
  {
    name: "groq",
    baseUrl: "https://api.groq.com/openai/v1",
    keyVariables: ["GROQ_API_KEY"],
    models: undefined,
    needsKey: true,
  },
  {
    name: "moonshot",
    cache: { read: 0.25, write: 1, keptMs: 300_000 },
    windowTokens: 256_000,
    baseUrl: "https://api.moonshot.ai/v1",
    keyVariables: ["MOONSHOT_API_KEY"],
    models: /^(kimi-|moonshot-)/,
    replayThinking: true,
    needsKey: true,
    priceId: "moonshotai",
  },
  {
    name: "qwen",
    cache: { read: 0.2, write: 1, keptMs: 300_000 },
    windowTokens: 256_000,
    baseUrl: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
    keyVariables: ["DASHSCOPE_API_KEY"],
    models: /^(qwen|qwq)/,
    replayThinking: true,
    needsKey: true,
  },
  {
    name: "zai",
    cache: { read: 0.2, write: 1, keptMs: 300_000 },
    windowTokens: 200_000,
    baseUrl: "https://api.z.ai/api/paas/v4",
    keyVariables: ["ZAI_API_KEY"],
    models: /^glm-/,
    replayThinking: true,
    needsKey: true,
  },
  {
    name: "ollama",
    cutsSilently: true,
    baseUrl: "http://127.0.0.1:11434/v1",
    keyVariables: [],
    models: undefined,
    replayThinking: true,
    needsKey: false,
  },
  {
    name: "lmstudio",
    baseUrl: "http://127.0.0.1:1234/v1",
    keyVariables: [],
    models: undefined,
    replayThinking: true,
    needsKey: false,
  },
  {
    name: "llamacpp",
    baseUrl: "http://127.0.0.1:8080/v1",
    keyVariables: [],
    models: undefined,
    replayThinking: true,
    needsKey: false,
  },
  {
    name: "vllm",
    baseUrl: "http://127.0.0.1:8000/v1",
    keyVariables: [],
    models: undefined,
    replayThinking: true,
    needsKey: false,
  },
];

export function vendorNamed(name: string): Vendor | undefined {
  return vendors.find((vendor) => vendor.name === name);
}

/** The vendor a model name belongs to: `deepseek/…` by its prefix, `claude-…` by its family. */
export function vendorOfModel(model: string): { vendor: Vendor; model: string } | undefined {
  const slash = model.indexOf("/");
  const prefixed = slash > 0 ? vendorNamed(model.slice(0, slash)) : undefined;
  if (prefixed) return { vendor: prefixed, model: model.slice(slash + 1) };
  const vendor = vendors.find(({ models }) => models?.test(model));
  return vendor && { vendor, model };
}

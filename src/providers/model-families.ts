/**
 * What models take and can do, by the beginning of their names: families, and models too old or too new for the generated list, from the
 * vendors' own pages. The generated rows come first where both have the same name; the longest name that fits wins.
 */

/** Letters: i takes images, r thinks ("reasons"), t calls tools. */
export type LimitsRow = readonly [
  prefix: string,
  windowTokens: number,
  outputTokens: number,
  abilities: string,
  /** Above this prompt size every token of a call costs more; 0: it does not. */
  dearerAboveTokens?: number,
  /** USD for a million tokens: input, output, reading and writing the cache. */
  price?: readonly number[],
];

const k = 1_000;
const M = 1_000_000;
const gptTier = 272 * k;
const proTier = 200 * k;

/** Windows are what a prompt may hold: where the vendor counts the answer apart, without it. */
export const familyRows: readonly LimitsRow[] = [
  ["gpt-6", 922 * k, 128 * k, "irt", gptTier],
  ["gpt-5.6", 922 * k, 128 * k, "irt", gptTier],
  ["gpt-5.5", 922 * k, 128 * k, "irt", gptTier],
  ["gpt-5.4", 922 * k, 128 * k, "irt", gptTier],
  ["gpt-5.4-mini", 272 * k, 128 * k, "irt"],
  ["gpt-5.4-nano", 272 * k, 128 * k, "irt"],
  ["gpt-5.3-chat", 128 * k, 16_384, "it"],
  ["gpt-5.2-chat", 128 * k, 16_384, "it"],
  ["gpt-5.1-chat", 128 * k, 16_384, "it"],
  ["gpt-5-chat", 128 * k, 16_384, "it"],
  ["gpt-5", 272 * k, 128 * k, "irt"],
  ["gpt-4.1", 1_047_576, 32_768, "it"],
  ["gpt-4o", 128 * k, 16_384, "it"],
  ["chatgpt-4o", 128 * k, 16_384, "it"],
  ["gpt-4-turbo", 128 * k, 4_096, "it"],
  ["gpt-4", 8_192, 8_192, "t"],
  ["gpt-3.5-turbo", 16_385, 4_096, "t"],
  ["gpt-oss", 131_072, 32_768, "rt"],
  ["o1", 200 * k, 100 * k, "irt"],
  ["o1-mini", 128 * k, 65_536, "r"],
  ["o3", 200 * k, 100 * k, "irt"],
  ["o3-mini", 200 * k, 100 * k, "rt"],
  ["o4-mini", 200 * k, 100 * k, "irt"],
  ["codex-mini", 200 * k, 100 * k, "irt"],

  ["claude-fable-5", M, 128 * k, "irt"],
  ["claude-mythos", M, 128 * k, "irt"],
  ["claude-opus-5", M, 128 * k, "irt"],
  ["claude-sonnet-5", M, 128 * k, "irt"],
  ["claude-haiku-5", M, 128 * k, "irt"],
  ["claude-opus-4-8", M, 128 * k, "irt"],
  ["claude-opus-4-7", M, 128 * k, "irt"],
  ["claude-opus-4-6", M, 128 * k, "irt"],
  ["claude-sonnet-4-6", M, 64 * k, "irt"],
  ["claude-opus-4-5", 200 * k, 64 * k, "irt"],
  ["claude-sonnet-4-5", 200 * k, 64 * k, "irt"],
  ["claude-haiku-4-5", 200 * k, 64 * k, "irt"],
  ["claude-opus-4", 200 * k, 32 * k, "irt"],
  ["claude-sonnet-4", 200 * k, 64 * k, "irt"],
  ["claude-3-7-sonnet", 200 * k, 64 * k, "irt"],
  ["claude-3-5", 200 * k, 8_192, "it"],
  ["claude-3", 200 * k, 4_096, "it"],

  ["gemini-4", 1_048_576, 65_536, "irt"],
  ["gemini-3", 1_048_576, 65_536, "irt"],
  ["gemini-3-pro", 1_048_576, 65_536, "irt", proTier],
  ["gemini-3.1-pro", 1_048_576, 65_536, "irt", proTier],
  ["gemini-flash", 1_048_576, 65_536, "irt"],
  ["gemini-pro", 1_048_576, 65_536, "irt", proTier],
  ["gemini-2.5", 1_048_576, 65_536, "irt"],
  ["gemini-2.5-pro", 1_048_576, 65_536, "irt", proTier],
  ["gemini-2.0", 1_048_576, 8_192, "it"],
  ["gemma-4", 262_144, 32_768, "irt"],

  ["deepseek-v4", M, 384 * k, "rt"],
  ["deepseek-v4.1-flash", M, 384 * k, "irt"],
  ["deepseek-flash", M, 384 * k, "irt"],
  ["deepseek-chat", M, 384 * k, "t"],
  ["deepseek-reasoner", M, 384 * k, "rt"],
  ["deepseek-v3", 131_072, 32_768, "t"],
  ["deepseek-r1", 131_072, 32_768, "rt"],

  ["grok-4.7", 500 * k, 128 * k, "irt"],
  ["grok-4.6", 500 * k, 128 * k, "irt"],
  ["grok-4.5", 500 * k, 128 * k, "irt"],
  ["grok-4.3", M, 30 * k, "irt", proTier],
  ["grok-4.20", M, 30 * k, "irt", proTier],
  ["grok-4-1-fast", 2 * M, 30 * k, "irt"],
  ["grok-4-fast", 2 * M, 30 * k, "irt"],
  ["grok-4", 256 * k, 64 * k, "irt"],
  ["grok-code-fast", 256 * k, 10 * k, "rt"],
  ["grok-3-mini", 131_072, 8_192, "rt"],
  ["grok-3", 131_072, 8_192, "t"],

  ["mistral-medium", 262_144, 262_144, "irt"],
  ["mistral-small", 262_144, 262_144, "irt"],
  ["mistral-large", 262_144, 262_144, "it"],
  ["ministral", 262_144, 262_144, "it"],
  ["devstral", 262_144, 262_144, "t"],
  ["codestral", 256 * k, 4_096, "t"],
  ["magistral", 128 * k, 16_384, "rt"],

  ["kimi-k3", 1_048_576, 262_144, "irt"],
  ["kimi-k2.7", 262_144, 262_144, "irt"],
  ["kimi-k2.6", 262_144, 262_144, "irt"],
  ["kimi-k2.5", 262_144, 262_144, "irt"],
  ["kimi-k2-thinking", 262_144, 262_144, "rt"],
  ["kimi-k2", 262_144, 16_384, "t"],
  ["moonshot-v1-128k", 131_072, 8_192, "t"],
  ["moonshot-v1-32k", 32_768, 8_192, "t"],
  ["moonshot-v1-8k", 8_192, 4_096, "t"],

  ["qwen3.8", M, 131_072, "irt"],
  ["qwen3.7-max", 991_808, 131_072, "rt"],
  ["qwen3.7", 991 * k, 65_536, "irt"],
  ["qwen3.6-plus", M, 65_536, "irt"],
  ["qwen3.5-plus", M, 65_536, "irt"],
  ["qwen3-coder-plus", M, 65_536, "t"],
  ["qwen3-coder-flash", M, 65_536, "t"],
  ["qwen3-coder", 262_144, 65_536, "t"],
  ["qwen3-max", 262_144, 65_536, "rt"],
  ["qwen3-vl", 262_144, 32_768, "irt"],
  ["qwen-plus", M, 32_768, "rt"],
  ["qwen-flash", M, 32_768, "rt"],

  ["glm-5.3", 1_048_576, 131_072, "rt"],
  ["glm-5", 200 * k, 131_072, "rt"],
  ["glm-5v", 200 * k, 131_072, "irt"],
  ["glm-4.7", 200 * k, 131_072, "rt"],
  ["glm-4.6", 200 * k, 131_072, "rt"],
  ["glm-4.6v", 131_072, 32_768, "irt"],
  ["glm-4.5", 131_072, 98_304, "rt"],
  ["glm-4.5v", 65_536, 16_384, "irt"],

  ["llama-3", 131_072, 32_768, "t"],
  ["llama-4", 131_072, 8_192, "it"],
];

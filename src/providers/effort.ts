import type { Effort } from "../contracts/provider.ts";
import type { BodyFields } from "./protocol.ts";

/** How the levels are said to some models of a vendor, in the words of its own wire. A level that is not listed is not said. */
export type EffortRule = {
  /** Left out: all the others. The first rule that fits counts. */
  readonly models?: RegExp;
  readonly fields: Partial<Readonly<Record<Effort, BodyFields>>>;
};

export function effortFields(rules: readonly EffortRule[], model: string, effort: Effort | undefined): BodyFields {
  if (effort === undefined) return {};
  return rules.find(({ models }) => models === undefined || models.test(model))?.fields[effort] ?? {};
}

type Levels = Readonly<Record<Effort, string>>;

const each = (levels: Levels, say: (level: string) => BodyFields): EffortRule["fields"] => ({
  off: say(levels.off),
  low: say(levels.low),
  medium: say(levels.medium),
  high: say(levels.high),
  max: say(levels.max),
});

const plain: Levels = { off: "none", low: "low", medium: "medium", high: "high", max: "high" };
const chatEffort = (levels: Partial<Levels>) => each({ ...plain, ...levels }, (level) => ({ reasoning_effort: level }));

export const plainEffort: readonly EffortRule[] = [{ fields: chatEffort({}) }];

export const openAiEffort: readonly EffortRule[] = [
  { models: /^(gpt-[34]|chatgpt-|.*-chat-latest)/, fields: {} },
  { models: /^gpt-(5\.[6-9]|[6-9])/, fields: chatEffort({ max: "max" }) },
  { models: /^gpt-5\.([2-5]|1-codex-max)/, fields: chatEffort({ max: "xhigh" }) },
  { models: /^gpt-5\.1/, fields: chatEffort({}) },
  { models: /^(gpt-5-codex|o\d|codex-)/, fields: chatEffort({ off: "low" }) },
  { models: /^gpt-5/, fields: chatEffort({ off: "minimal" }) },
  ...plainEffort,
];

const anthropicLevels: Levels = { ...plain, off: "low", max: "max" };
const adaptive = (level: string): BodyFields => ({
  thinking: { type: "adaptive", display: "summarized" },
  output_config: { effort: level },
});
const claudeBudget = (budget_tokens: number): BodyFields => ({ thinking: { type: "enabled", budget_tokens } });

export const anthropicEffort: readonly EffortRule[] = [
  { models: /claude-(2|instant|3-(opus|haiku|sonnet|5))/, fields: {} },
  // thinking cannot be turned off
  { models: /claude-(fable|mythos)|-5-\d\b/, fields: each(anthropicLevels, adaptive) },
  {
    models: /claude-[a-z]+-(5|[6-9])/,
    fields: { ...each(anthropicLevels, adaptive), off: { thinking: { type: "disabled" } } },
  },
  { models: /-4-[6-9]\b/, fields: { ...each(anthropicLevels, adaptive), off: {} } },
  {
    fields: {
      off: {},
      low: claudeBudget(4_000),
      medium: claudeBudget(10_000),
      high: claudeBudget(20_000),
      max: claudeBudget(32_000),
    },
  },
];

const thinkingConfig = (config: BodyFields): BodyFields => ({
  generationConfig: { thinkingConfig: { includeThoughts: true, ...config } },
});
const geminiLevel = (thinkingLevel: string) => thinkingConfig({ thinkingLevel });
const geminiBudget = (thinkingBudget: number) => thinkingConfig({ thinkingBudget });

export const geminiEffort: readonly EffortRule[] = [
  { models: /gemini-(1|2\.0)/, fields: {} },
  {
    models: /gemini-2\.5-pro/,
    fields: {
      off: geminiBudget(128),
      low: geminiBudget(2_048),
      medium: geminiBudget(8_192),
      high: geminiBudget(24_576),
      max: geminiBudget(32_768),
    },
  },
  {
    models: /gemini-2\.5/,
    fields: {
      off: { generationConfig: { thinkingConfig: { thinkingBudget: 0 } } },
      low: geminiBudget(1_024),
      medium: geminiBudget(8_192),
      high: geminiBudget(16_384),
      max: geminiBudget(24_576),
    },
  },
  { models: /-pro|gemini-(3\.[5-9]|[4-9])/, fields: each({ ...plain, off: "low" }, geminiLevel) },
  { fields: each({ ...plain, off: "minimal" }, geminiLevel) },
];

const thinkingType = (type: "enabled" | "disabled", more: BodyFields = {}): BodyFields => ({
  thinking: { type, ...more },
});

export const deepSeekEffort: readonly EffortRule[] = [
  {
    fields: {
      ...each({ ...plain, medium: "high", max: "max" }, (level) => ({
        ...thinkingType("enabled"),
        reasoning_effort: level,
      })),
      off: thinkingType("disabled"),
    },
  },
];

export const openRouterEffort: readonly EffortRule[] = [
  { fields: each({ ...plain, max: "xhigh" }, (effort) => ({ reasoning: { effort } })) },
];

export const xaiEffort: readonly EffortRule[] = [
  { models: /^grok-3-mini/, fields: chatEffort({ off: "low", medium: "high" }) },
  { models: /^grok-(4\.[3-9]|[5-9]|latest)/, fields: chatEffort({}) },
  { fields: {} },
];

export const mistralEffort: readonly EffortRule[] = [
  { models: /^magistral/, fields: {} },
  { models: /^mistral-(small|medium)/, fields: chatEffort({ low: "high", medium: "high" }) },
  { fields: {} },
];

export const groqEffort: readonly EffortRule[] = [
  { models: /gpt-oss/, fields: chatEffort({ off: "low" }) },
  { models: /qwen/, fields: chatEffort({ low: "default", medium: "default", high: "default", max: "default" }) },
  { fields: {} },
];

const thinkingSwitch: EffortRule["fields"] = {
  ...each(plain, () => thinkingType("enabled")),
  off: thinkingType("disabled"),
};

export const moonshotEffort: readonly EffortRule[] = [
  { models: /^kimi-k2\.[56]/, fields: thinkingSwitch },
  { models: /^kimi-k[3-9]/, fields: chatEffort({ off: "low", medium: "high", max: "max" }) },
  { fields: {} },
];

const qwenBudget = (thinking_budget: number): BodyFields => ({ enable_thinking: true, thinking_budget });

export const qwenEffort: readonly EffortRule[] = [
  {
    fields: {
      off: { enable_thinking: false },
      low: qwenBudget(2_048),
      medium: qwenBudget(8_192),
      high: qwenBudget(24_576),
      max: { enable_thinking: true },
    },
  },
];

const keepsThinking = thinkingType("enabled", { clear_thinking: false });

export const zaiEffort: readonly EffortRule[] = [
  { models: /^glm-(5\.[3-9]|[6-9])/, fields: chatEffort({ off: "low", medium: "high", max: "max" }) },
  { fields: { ...each(plain, () => keepsThinking), off: thinkingType("disabled") } },
];

/** Local servers hand these on to the model's own template. */
export const templateEffort: readonly EffortRule[] = [
  {
    fields: {
      ...each(plain, (level) => ({ chat_template_kwargs: { enable_thinking: true, reasoning_effort: level } })),
      off: { chat_template_kwargs: { enable_thinking: false } },
    },
  },
];

/** USD for a million tokens. */
export type ModelPrice = {
  readonly input: number;
  readonly output: number;
  /** Left out: as much as input. */
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
};

/** What the person's settings say of a model; it comes before everything we know of it. */
export type ModelSettings = {
  /** Tokens a prompt may hold. */
  readonly window?: number;
  /** Tokens an answer may have. */
  readonly output?: number;
  readonly images?: boolean;
  readonly thinking?: boolean;
  readonly tools?: boolean;
  readonly price?: ModelPrice;
};

/** By model, as `--model` takes it, with or without its vendor in front. */
export type ModelSettingsTable = Readonly<Record<string, ModelSettings>>;

export const wireNames = ["openai-chat", "openai-responses", "anthropic-messages", "gemini-generate-content"] as const;

export type WireName = (typeof wireNames)[number];

/** A vendor of the person's own. */
export type ProviderSettings = {
  readonly baseUrl: string;
  readonly protocol?: WireName;
  /** Variables that hold its key, best first; none: it needs no key. */
  readonly keyVariables?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
};

export type ProviderSettingsTable = Readonly<Record<string, ProviderSettings>>;

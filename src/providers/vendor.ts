import type { WireName } from "../contracts/model-settings.ts";
import type { EffortRule } from "./effort.ts";
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

import type { Provider } from "../contracts/provider.ts";
import type { ModelChoice } from "./choose-vendor.ts";
import { createProvider, type EndpointMemory, type ProviderOptions } from "./create-provider.ts";
import { effortFields } from "./effort.ts";
import type { Post } from "./http-stream.ts";
import { knownLimits } from "./model-limits.ts";
import { createAnthropicMessages } from "./protocols/anthropic-messages.ts";
import { createGeminiGenerateContent } from "./protocols/gemini-generate-content.ts";
import { createOpenAiChat } from "./protocols/openai-chat.ts";
import { createOpenAiResponses } from "./protocols/openai-responses.ts";

export type ConnectOptions = {
  readonly choice: ModelChoice;
  readonly apiKey: string;
  readonly idleTimeoutMs: number;
  readonly memory: EndpointMemory;
  /** Left out: straight over the network. */
  readonly post?: Post;
};

/** Silence after which a stream has stalled. Who leaves it at that gives a model longer to read a prompt: local ones take minutes. */
const usualIdleMs = 120_000;
const usualFirstDataMs = 300_000;

/** Wire formats by the name a vendor's row gives. */
const protocols = {
  "openai-chat": createOpenAiChat,
  "openai-responses": createOpenAiResponses,
  "anthropic-messages": createAnthropicMessages,
  "gemini-generate-content": createGeminiGenerateContent,
} as const;

/** A vendor's row becomes a provider. */
export function connect({ choice, apiKey, idleTimeoutMs, memory, post }: ConnectOptions): Provider {
  const { vendor, baseUrl } = choice;
  return createProvider({
    protocol: protocols[vendor.protocol ?? "openai-chat"](),
    baseUrl,
    apiKey,
    ...(vendor.keyHeader === undefined ? {} : { keyHeader: vendor.keyHeader }),
    ...(vendor.headers === undefined ? {} : { headers: vendor.headers }),
    ...(vendor.pathPattern === undefined ? {} : { pathPattern: vendor.pathPattern }),
    replayThinking: vendor.replayThinking ?? false,
    cutsSilently: vendor.cutsSilently ?? false,
    idleTimeoutMs,
    ...(idleTimeoutMs === usualIdleMs ? { firstDataMs: usualFirstDataMs } : {}),
    memory,
    ...(post ? { post } : {}),
    encodeOptions: encodeOptionsOf(choice),
  });
}

function encodeOptionsOf({ vendor, settings }: ModelChoice): NonNullable<ProviderOptions["encodeOptions"]> {
  const { effort = [], fields = [], cacheKeyField, callIds } = vendor;
  return (request, refusals) => {
    const { model } = request;
    const limits = knownLimits({ model, ...(settings ? { settings } : {}) });
    const wanted = fields.find(({ models }) => models === undefined || models.test(model))?.fields;
    return {
      fields: { ...wanted, ...(refusals.effort ? {} : effortFields(effort, model, request.effort)) },
      images: limits?.images === false ? "noted" : "sent",
      ...(cacheKeyField === undefined ? {} : { cacheKeyField }),
      ...(callIds === undefined ? {} : { callIds }),
      ...(limits?.outputTokens === undefined ? {} : { outputLimit: limits.outputTokens }),
    };
  };
}

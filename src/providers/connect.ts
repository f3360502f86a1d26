import type { Provider } from "../contracts/provider.ts";
import type { ModelChoice } from "./choose-vendor.ts";
import { createProvider, type EndpointMemory } from "./create-provider.ts";
import { createAnthropicMessages } from "./protocols/anthropic-messages.ts";
import { createOpenAiChat } from "./protocols/openai-chat.ts";

export type ConnectOptions = {
  readonly choice: ModelChoice;
  readonly apiKey: string;
  readonly idleTimeoutMs: number;
  readonly memory: EndpointMemory;
};

/** Wire formats by the name a vendor's row gives. */
const protocols = {
  "openai-chat": createOpenAiChat,
  "anthropic-messages": createAnthropicMessages,
} as const;

/** A vendor's row becomes a provider. */
export function connect({ choice, apiKey, idleTimeoutMs, memory }: ConnectOptions): Provider {
  const { vendor, baseUrl } = choice;
  return createProvider({
    protocol: protocols[vendor.protocol ?? "openai-chat"](),
    baseUrl,
    apiKey,
    replayThinking: vendor.replayThinking ?? false,
    cutsSilently: vendor.cutsSilently ?? false,
    idleTimeoutMs,
    memory,
  });
}

import type { Provider, StreamOptions } from "../contracts/provider.ts";
import type { ModelChoice } from "../providers/choose-vendor.ts";
import type { Post } from "../providers/http-stream.ts";
import { canAskWindow } from "../providers/model-limits.ts";
import type { EndpointLessons } from "../session/endpoint-memory.ts";

/** Longest that the answer to a question nobody waits for is of use. */
const patienceMs = 5_000;

type Asking = {
  readonly choice: ModelChoice;
  readonly apiKey: string;
  readonly post?: Post;
  readonly memory: EndpointLessons;
};

/**
 * The same provider, which asks its server for the window once: when the first answer begins, because then the model is loaded, and beside it,
 * so that nothing waits. What it learns is kept for this endpoint and model.
 */
export function askingForWindow(provider: Provider, { choice, apiKey, post, memory }: Asking): Provider {
  if (!canAskWindow(choice)) return provider;
  let isAsked = false;
  async function learn(): Promise<void> {
    const { askWindow } = await import("../providers/endpoint-window.ts");
    const tokens = await askWindow({
      choice,
      apiKey,
      ...(post ? { post } : {}),
      signal: AbortSignal.timeout(patienceMs),
    });
    if (tokens !== undefined && tokens !== memory.windowOf(provider.endpoint, choice.model))
      memory.learnWindow(provider.endpoint, choice.model, tokens);
  }
  return {
    endpoint: provider.endpoint,
    stream(request, options: StreamOptions) {
      if (isAsked) return provider.stream(request, options);
      const onEvent: StreamOptions["onEvent"] = (event) => {
        if (!isAsked) {
          isAsked = true;
          void learn();
        }
        options.onEvent(event);
      };
      return provider.stream(request, { ...options, onEvent });
    },
  };
}

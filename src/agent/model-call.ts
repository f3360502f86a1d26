import { ProviderError, type ProviderErrorCode } from "../contracts/errors.ts";
import type { AgentEvent } from "../contracts/event.ts";
import type { ToolCallPart } from "../contracts/message.ts";
import type { ModelAnswer, ModelRequest, Provider } from "../contracts/provider.ts";

/** How often a failure may be tried again; errors not named here are final. */
const triesOf: Partial<Record<ProviderErrorCode, number>> = {
  "rate-limit": 5,
  overloaded: 5,
  network: 5,
  stalled: 5,
  "broken-stream": 5,
  empty: 2,
};

/** HTTP requests one answer may cost, retries, continuations after a broken stream and refused parameters included. */
export type RequestBudget = { used: number };
const requestLimit = 6;
const longestDelayMs = 30_000;

export type ModelCall = {
  readonly provider: Provider;
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
  readonly budget: RequestBudget;
  readonly retryBaseMs: number;
  readonly emit: (event: AgentEvent) => void;
  readonly onCall: (call: ToolCallPart) => void;
  /** Calls announced so far are void. */
  readonly onRestart: () => void;
};

/**
 * Asks the model once and sees it through: failures are tried again by their code. A stream that breaks after text was shown is not
 * repeated, since the person has seen it: what arrived comes back as an answer with stopReason "interrupted", to be continued.
 */
export async function callModel(call: ModelCall): Promise<ModelAnswer> {
  for (let attempt = 1; ; attempt++) {
    const seen = { text: "", thinking: false };
    try {
      call.budget.used++;
      const answer = await streamOnce(call, seen);
      if (answer.parts.every((part) => part.type === "thinking") && answer.stopReason === "end") {
        throw new ProviderError("empty", "the model answered with nothing");
      }
      return answer;
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      call.onRestart();
      if (error.usage) call.emit({ type: "model.used", model: call.request.model, usage: error.usage });
      const atOnce = error.code === "parameter-refused" || error.code === "stale";
      const again = atOnce || attempt < (triesOf[error.code] ?? 1);
      if (error.code === "aborted") throw Object.assign(error, { partialText: seen.text });
      if (!again || call.budget.used >= requestLimit) throw Object.assign(error, { partialText: seen.text });
      if (!atOnce) await pause(call, error, attempt);
      if (seen.text !== "")
        return { parts: [{ type: "text", text: seen.text }], stopReason: "interrupted", usage: undefined };
      if (seen.thinking) call.emit({ type: "answer.restarted" });
    }
  }
}

function streamOnce(call: ModelCall, seen: { text: string; thinking: boolean }): Promise<ModelAnswer> {
  return call.provider.stream(call.request, {
    signal: call.signal,
    onEvent(event) {
      switch (event.type) {
        case "text":
          seen.text += event.text;
          call.emit({ type: "text.delta", text: event.text });
          break;
        case "thinking":
          seen.thinking = true;
          call.emit({ type: "thinking.delta", text: event.text });
          break;
        case "tool-call":
          call.onCall(event.call);
      }
    },
  });
}

/** Waits as long as the server asked for, else exponentially with jitter; an abort ends the wait at once. */
async function pause(call: ModelCall, error: ProviderError, attempt: number): Promise<void> {
  const backoffMs = Math.min(call.retryBaseMs * 2 ** (attempt - 1), longestDelayMs);
  const delayMs = Math.round(error.retryAfterMs ?? backoffMs * (0.5 + Math.random() / 2));
  call.emit({ type: "retrying", attempt, delayMs, reason: error.message });
  await new Promise<void>((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(new ProviderError("aborted", "interrupted"));
    };
    const timer = setTimeout(() => {
      call.signal.removeEventListener("abort", abort);
      resolve();
    }, delayMs);
    if (call.signal.aborted) abort();
    else call.signal.addEventListener("abort", abort, { once: true });
  });
}

/** Text that had been shown when a call was given up. */
export function partialTextOf(error: unknown): string {
  return error instanceof ProviderError ? ((error as { partialText?: string }).partialText ?? "") : "";
}

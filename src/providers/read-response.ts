import { ProviderError } from "../contracts/errors.ts";
import type { Response } from "./http-stream.ts";

/** A response body as text, at most `limit` characters: for error messages. */
export async function readText({ head, body }: Response, limit: number): Promise<string> {
  body.setEncoding("utf8");
  let text = "";
  try {
    for await (const piece of body) {
      text += piece as string;
      if (text.length > limit) break;
    }
  } catch {
    // what arrived before the connection broke is all there is to say
  }
  if (!head.complete) head.destroy();
  return text;
}

export type ReadOptions = {
  readonly response: Response;
  readonly signal: AbortSignal;
  /** Each piece of decoded text as it arrives. Throwing ends the read. */
  readonly onText: (text: string) => void;
  /** Asked after each piece: "finishing" waits a moment longer, "done" stops reading. */
  readonly state: () => "open" | "finishing" | "done";
  readonly idle: IdleTimer;
};

/** Reset by data events alone: comments and pings keep a dead stream alive for ever. */
export type IdleTimer = {
  /** The limit that holds now. */
  readonly limitMs: number;
  refresh(): void;
  onExpire(callback: () => void): void;
  stop(): void;
};

/** The first data may take longer than what follows: a long prompt has to be read first. */
export function createIdleTimer(idleMs: number, firstMs = idleMs): IdleTimer {
  let expire: () => void = () => {};
  let limitMs = firstMs;
  let timer = setTimeout(() => expire(), firstMs);
  return {
    get limitMs() {
      return limitMs;
    },
    refresh() {
      if (limitMs === idleMs) return void timer.refresh();
      clearTimeout(timer);
      limitMs = idleMs;
      timer = setTimeout(() => expire(), idleMs);
    },
    onExpire: (callback) => void (expire = callback),
    stop: () => clearTimeout(timer),
  };
}

/** How long to wait for a late usage report once the answer itself is complete… */
const finishingGraceMs = 500;
/** …and for the end of the body once everything was said: a response read to its end gives its connection back. */
const doneGraceMs = 30;

/** Reads until the end, "done", a stall or an abort. Throws ProviderError "broken-stream", "stalled" or "aborted". */
export function readStream({ response, signal, onText, state, idle }: ReadOptions): Promise<void> {
  const { head, body } = response;
  return new Promise((resolve, reject) => {
    let grace: NodeJS.Timeout | undefined;
    const settle = (error?: unknown) => {
      idle.stop();
      clearTimeout(grace);
      signal.removeEventListener("abort", abort);
      body.off("data", read);
      if (error === undefined) resolve();
      else reject(signal.aborted ? new ProviderError("aborted", "interrupted") : error);
      if (!head.complete) head.destroy();
    };
    const end = () => settle(head.complete || state() !== "open" ? undefined : brokenStream());
    const abort = () => settle(new ProviderError("aborted", "interrupted"));
    const read = (text: string) => {
      try {
        onText(text);
      } catch (error) {
        settle(error);
        return;
      }
      if (state() === "open") return;
      clearTimeout(grace);
      grace = setTimeout(() => settle(), state() === "done" ? doneGraceMs : finishingGraceMs);
    };
    signal.addEventListener("abort", abort, { once: true });
    idle.onExpire(() => settle(new ProviderError("stalled", `no data from the model for ${idle.limitMs / 1000} s`)));
    body.setEncoding("utf8");
    body.on("data", read);
    body.on("end", end);
    body.on("error", (cause) => settle(state() === "open" ? brokenStream(cause) : undefined));
    body.on("close", end);
  });
}

function brokenStream(cause?: unknown): ProviderError {
  return new ProviderError("broken-stream", "the connection broke in the middle of the answer", { cause });
}

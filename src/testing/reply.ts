/** What a scripted model says, as plain data. Built by the functions below, spoken by a wire. */

/** Tokens the model claims to have used. Left out: estimated from the sizes of request and answer. */
export type ScriptedUsage = {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The part of `inputTokens` that came from the vendor's cache. */
  readonly cachedTokens?: number;
  /** The part of `inputTokens` that was written to it. */
  readonly cacheWriteTokens?: number;
  /** The part of `outputTokens` that was thinking. */
  readonly reasoningTokens?: number;
};

/** `refusal`: the model itself says no; `content_filter`: something behind it does. */
export type FinishReason = "stop" | "tool_calls" | "length" | "content_filter" | "refusal";

/** One tool call. Also a reply on its own: an answer that consists of this call. */
export type ScriptedCall = {
  readonly type: "call";
  readonly name: string;
  /** The arguments exactly as they are sent; not necessarily JSON. */
  readonly arguments: string;
  readonly id: string | undefined;
  readonly fragments: readonly string[];
};

/** A complete, well-formed answer. */
export type ScriptedAnswer = {
  readonly type: "answer";
  readonly deltas: readonly string[];
  readonly reasoning: readonly string[];
  readonly calls: readonly ScriptedCall[];
  readonly order: "one-after-another" | "interleaved";
  readonly finishReason: FinishReason;
  readonly gapMs: number;
  /** `"none"`: no usage is reported although the client asked for it. */
  readonly usage: ScriptedUsage | "none" | undefined;
};

export type ScriptedFault = {
  readonly type: "fault";
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
};

/**
 * How a raw stream ends: `close` ends the HTTP response properly, `hangup` closes the socket in the middle of it, `reset` sends RST,
 * `stall` stays open in silence, `keepalive-stall` stays open and sends comments.
 */
export type RawEnd = "close" | "hangup" | "reset" | "stall" | "keepalive-stall";

export type ScriptedRawStream = {
  readonly type: "raw";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly chunks: readonly (string | Uint8Array)[];
  readonly gapMs: number;
  readonly end: RawEnd;
  readonly keepalive: string;
  readonly keepaliveMs: number;
};

/** The request is read and never answered. */
export type ScriptedStall = { readonly type: "stall" };

export type Reply = ScriptedAnswer | ScriptedCall | ScriptedFault | ScriptedRawStream | ScriptedStall;

/** The last element of a script: repeated for every further request. */
export type ForeverReply = { readonly type: "forever"; readonly reply: Reply };

/** Cuts a text into `count` pieces of nearly equal length, never empty while there is text left. */
function cut(whole: string, pieces: number | readonly string[] | undefined): readonly string[] {
  if (typeof pieces === "object") return pieces;
  if (whole === "") return [];
  const count = Math.max(1, Math.min(Math.floor(pieces ?? 1), whole.length));
  return Array.from({ length: count }, (_, i) =>
    whole.slice(Math.floor((i * whole.length) / count), Math.floor(((i + 1) * whole.length) / count)),
  );
}

export type TextOptions = {
  /** Into how many pieces the text is cut, or the pieces themselves. Left out: about one for each word. */
  readonly deltas?: number | readonly string[];
  /** Pause before each piece. */
  readonly gapMs?: number;
  readonly usage?: ScriptedUsage | "none";
  readonly finishReason?: FinishReason;
  /** Sent before the text in the words of the wire: `reasoning_content`, a reasoning item, a thinking block, a thought. */
  readonly reasoning?: string;
};

/** An answer in words: `text("hello")`. */
export function text(content: string, options: TextOptions = {}): ScriptedAnswer {
  return {
    type: "answer",
    deltas: cut(content, options.deltas ?? content.match(/\s*\S+\s*$|\s*\S+|\s+$/g) ?? []),
    reasoning: cut(options.reasoning ?? "", 3),
    calls: [],
    order: "one-after-another",
    finishReason: options.finishReason ?? "stop",
    gapMs: options.gapMs ?? 0,
    usage: options.usage,
  };
}

export type CallOptions = {
  /** Left out: a fresh id. */
  readonly id?: string;
  /** Into how many pieces the arguments are cut, or the pieces themselves. */
  readonly fragments?: number | readonly string[];
};

/**
 * One tool call: `call("bash", { command: "ls" })`. Arguments given as a string are sent as they are, also when they are no JSON.
 */
export function call(
  name: string,
  args: Readonly<Record<string, unknown>> | string,
  options: CallOptions = {},
): ScriptedCall {
  const whole = typeof args === "string" ? args : JSON.stringify(args);
  return { type: "call", name, arguments: whole, id: options.id, fragments: cut(whole, options.fragments) };
}

export type CallsOptions = {
  /** Said before the calls. */
  readonly text?: string;
  readonly reasoning?: string;
  readonly usage?: ScriptedUsage | "none";
  readonly finishReason?: FinishReason;
  readonly gapMs?: number;
  /** `interleaved`: the calls' fragments take turns. */
  readonly order?: "one-after-another" | "interleaved";
};

/** Several tool calls in one answer, optionally with words before them. */
export function calls(list: readonly ScriptedCall[], options: CallsOptions = {}): ScriptedAnswer {
  return {
    ...text(options.text ?? ""),
    reasoning: cut(options.reasoning ?? "", 3),
    calls: list,
    order: options.order ?? "one-after-another",
    finishReason: options.finishReason ?? "tool_calls",
    gapMs: options.gapMs ?? 0,
    usage: options.usage,
  };
}

/** An HTTP failure: `fault(429, { error: { message: "slow down" } }, { "retry-after": "1" })`. A body that is no string is sent as JSON. */
export function fault(status: number, body?: unknown, headers: Readonly<Record<string, string>> = {}): ScriptedFault {
  const sent = body ?? { error: { message: `scripted failure ${status}`, type: "scripted_fault" } };
  const isText = typeof sent === "string";
  const contentType = isText && sent.trimStart().startsWith("<") ? "text/html" : "application/json";
  return {
    type: "fault",
    status,
    body: isText ? sent : JSON.stringify(sent),
    headers: { "content-type": contentType, ...headers },
  };
}

export type RawStreamOptions = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly contentType?: string;
  /** Network writes, in order. */
  readonly chunks: readonly (string | Uint8Array)[];
  /** Pause before each write. */
  readonly gapMs?: number;
  readonly end: RawEnd;
  /** What `keepalive-stall` sends; an SSE comment by default. */
  readonly keepalive?: string;
  readonly keepaliveMs?: number;
};

/** Bytes exactly as given: for streams that are broken on purpose. */
export function rawStream(options: RawStreamOptions): ScriptedRawStream {
  return {
    type: "raw",
    status: options.status ?? 200,
    headers: { "content-type": options.contentType ?? "text/event-stream", ...options.headers },
    chunks: options.chunks,
    gapMs: options.gapMs ?? 0,
    end: options.end,
    keepalive: options.keepalive ?? ": keep-alive\n\n",
    keepaliveMs: options.keepaliveMs ?? 5000,
  };
}

/** Reads the request and never answers: for time-outs and interrupts. */
export function stall(): ScriptedStall {
  return { type: "stall" };
}

/** Ends a script with a reply that is given again and again. */
export function forever(reply: Reply): ForeverReply {
  return { type: "forever", reply };
}

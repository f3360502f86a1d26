import type { ServerResponse } from "node:http";
import { calls, type Reply, type ScriptedRawStream } from "./reply.ts";
import type { Wire, WireContext } from "./wire.ts";

export type Playing = {
  readonly response: ServerResponse;
  readonly wire: Wire;
  readonly context: WireContext;
  /** Network writes are cut into pieces of this many bytes; undefined: written as they are. */
  readonly cutBytes: number | (() => number) | undefined;
};

function pause(ms: number): Promise<void> {
  return ms > 0 ? new Promise((resolve) => setTimeout(resolve, ms)) : Promise.resolve();
}

/** Resolves when the bytes left this process, so that the client sees the cut. */
function writeNow(response: ServerResponse, bytes: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    response.write(bytes, () => setImmediate(resolve));
  });
}

async function write({ response, cutBytes }: Playing, chunk: string | Uint8Array): Promise<void> {
  if (cutBytes === undefined) {
    response.write(chunk);
    return;
  }
  const bytes = typeof chunk === "string" ? Buffer.from(chunk, "utf8") : chunk;
  for (let at = 0; at < bytes.length && !response.destroyed; ) {
    const size = typeof cutBytes === "number" ? cutBytes : Math.max(1, cutBytes());
    await writeNow(response, bytes.subarray(at, at + size));
    at += size;
  }
}

async function writeAll(playing: Playing, chunks: Iterable<string | Uint8Array>, gapMs: number): Promise<void> {
  playing.response.flushHeaders();
  for (const chunk of chunks) {
    if (gapMs > 0) await pause(gapMs);
    if (playing.response.destroyed) return;
    await write(playing, chunk);
  }
}

/** A reset throws away what the client's process has not read yet; on a busy machine that takes it a while. */
const readingMs = 100;

/** A reset or a hang-up must not overtake the bytes before it. */
function afterFlush(response: ServerResponse, act: () => void): void {
  response.write("", () => setTimeout(act, readingMs));
}

async function playRaw(playing: Playing, reply: ScriptedRawStream): Promise<void> {
  const { response } = playing;
  response.writeHead(reply.status, reply.headers);
  await writeAll(playing, reply.chunks, reply.gapMs);
  if (response.destroyed) return;
  switch (reply.end) {
    case "close":
      response.end();
      return;
    case "hangup":
      afterFlush(response, () => response.socket?.destroySoon());
      return;
    case "reset":
      afterFlush(response, () => response.socket?.resetAndDestroy());
      return;
    case "keepalive-stall": {
      const timer = setInterval(() => response.write(reply.keepalive), reply.keepaliveMs);
      response.once("close", () => clearInterval(timer));
      return;
    }
    case "stall":
      return;
  }
}

/** Says one reply to one request. */
export async function playReply(playing: Playing, reply: Reply): Promise<void> {
  const { response, wire, context } = playing;
  switch (reply.type) {
    case "stall":
      return;
    case "fault":
      response.writeHead(reply.status, reply.headers).end(reply.body);
      return;
    case "raw":
      return playRaw(playing, reply);
    case "call":
      return playReply(playing, calls([reply]));
    case "answer":
      if (!wire.wantsStream(context)) {
        response.writeHead(200, { "content-type": "application/json" }).end(wire.whole(reply, context));
        return;
      }
      response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
      await writeAll(playing, wire.stream(reply, context), reply.gapMs);
      response.end();
  }
}

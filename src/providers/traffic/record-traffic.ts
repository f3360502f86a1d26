import { isUtf8 } from "node:buffer";
import { pipeline, Transform } from "node:stream";
import { ProviderError } from "../../contracts/errors.ts";
import { monotonicMs } from "../../platform/clock.ts";
import type { Post, Response } from "../http-stream.ts";
import { type RecordedResponse, type RecordedRun, writeExchange, writeRun } from "./exchange.ts";
import { maskedBody, maskedHeaders, maskedRequest, maskedUrl, maskFor } from "./mask-traffic.ts";

export type Recording = {
  readonly post: Post;
  /** An empty folder, or one to be made. */
  readonly folder: string;
  readonly run: RecordedRun;
  /** The run goes on when the recording cannot. */
  readonly onTrouble: (problem: unknown) => void;
};

/** Posts, and writes every exchange to a file of its own as soon as it is over: retries and sub-agents included, secrets masked. */
export function recordTraffic({ post, folder, run, onTrouble }: Recording): Post {
  let count = 0;
  return async (options) => {
    const number = ++count;
    const mask = maskFor(options.headers);
    const request = maskedRequest(options, mask);
    const startedAt = monotonicMs();
    const keep = (outcome: Pick<Parameters<typeof writeExchange>[2], "response" | "error">) => {
      try {
        if (number === 1) writeRun(folder, { ...run, baseUrl: maskedUrl(new URL(run.baseUrl), mask) });
        writeExchange(folder, number, { request, ...outcome });
      } catch (problem) {
        onTrouble(problem);
      }
    };
    try {
      const response = await post(options);
      return tapped(response, startedAt, ({ body, cuts, end, encoding }) => {
        const headers = maskedHeaders(plainHeaders(response), mask);
        const shown = encoding === undefined ? maskedBody({ body, cuts }, mask) : { body, cuts, encoding };
        keep({ response: { status: response.head.statusCode ?? 0, headers, ...shown, end } });
      });
    } catch (error) {
      if (error instanceof ProviderError) keep({ error: { code: error.code, message: mask(error.message) } });
      throw error;
    }
  };
}

/** The body is kept as it was before it was compressed: secrets can be found in it, and people can read it. */
function plainHeaders({ head }: Response): Response["head"]["headers"] {
  const { "content-encoding": encoding, "content-length": length, ...headers } = head.headers;
  return encoding === undefined && length !== undefined ? { ...headers, "content-length": length } : headers;
}

type Received = Omit<RecordedResponse, "status" | "headers">;

/** The same response; what is read of it is told when it is over, however it ends. */
function tapped({ head, body }: Response, startedAt: number, onOver: (received: Received) => void): Response {
  const pieces: Buffer[] = [];
  const cuts: [number, number][] = [];
  let size = 0;
  const tap = new Transform({
    transform(piece: Buffer, _encoding, done) {
      pieces.push(piece);
      size += piece.length;
      cuts.push([size, Math.round(monotonicMs() - startedAt)]);
      done(null, piece);
    },
  });
  pipeline(body, tap, (error) => {
    const bytes = Buffer.concat(pieces);
    const isText = isUtf8(bytes) || error != null;
    const text = bytes.toString(isText ? "utf8" : "base64");
    onOver({ body: text, ...(isText ? {} : { encoding: "base64" }), cuts, end: error ? "cut" : "whole" });
  });
  return { head, body: tap };
}

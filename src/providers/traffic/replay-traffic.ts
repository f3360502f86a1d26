import { Readable } from "node:stream";
import { messageOf, ProviderError } from "../../contracts/errors.ts";
import type { Post, PostOptions, Response } from "../http-stream.ts";
import {
  type Exchange,
  exchangesIn,
  piecesOf,
  type RecordedResponse,
  type RunFolders,
  readExchange,
} from "./exchange.ts";
import { maskedRequest, maskFor } from "./mask-traffic.ts";
import { firstDifference } from "./request-difference.ts";

export type Replay = {
  readonly folder: string;
  /** Where things were when it was recorded, and where they are now. */
  readonly recorded?: RunFolders;
  readonly current?: RunFolders;
};

type Waiting = { readonly name: string; readonly exchange: Exchange };

/**
 * Answers from a recording; nothing is sent. An exchange is used once, in the order of the recording among those whose request is the same:
 * sub-agents that run side by side may ask in another order. A request that is not in the recording is an error that says what is different.
 */
export function replayTraffic({ folder, recorded, current }: Replay): Post {
  let waiting: Waiting[] | undefined;
  let asked = 0;
  const here = (text: string) => moved(text, recorded, current);
  return async (options) => {
    waiting ??= load(folder);
    const now = maskedRequest(options, maskFor(options.headers));
    if (options.method === undefined) asked++;
    const differences: string[] = [];
    for (const [index, { exchange }] of waiting.entries()) {
      const difference = firstDifference({ ...exchange.request, body: here(exchange.request.body) }, now);
      if (difference === undefined) {
        waiting.splice(index, 1);
        return answer(exchange, options, here);
      }
      differences.push(difference);
    }
    // others are asked for beside the conversation
    const at = waiting.findIndex(({ exchange }) => exchange.request.method === now.method);
    const next = waiting[at];
    throw new ProviderError(
      "unreachable",
      next === undefined
        ? `the recording in ${folder} ends before request ${asked} of this run. Record it anew, or give the same prompt`
        : `request ${asked} of this run is not the one recorded in ${folder} (${next.name}): ${differences[at]}`,
    );
  };
}

function load(folder: string): Waiting[] {
  return exchangesIn(folder).map((name) => {
    try {
      return { name, exchange: readExchange(folder, name) };
    } catch (cause) {
      throw new ProviderError("unreachable", `${folder}/${name} cannot be played back: ${messageOf(cause)}`, { cause });
    }
  });
}

/** Paths of the recorded run as they would be here. */
function moved(text: string, from: RunFolders | undefined, to: RunFolders | undefined): string {
  if (from === undefined || to === undefined) return text;
  let result = text;
  // the project is often inside the home folder: the longer path first
  for (const key of ["project", "state", "home"] as const)
    if (from[key] !== to[key]) result = result.replaceAll(inJson(from[key]), inJson(to[key]));
  return result;
}

function inJson(path: string): string {
  return JSON.stringify(path).slice(1, -1);
}

function answer({ response, error }: Exchange, { signal }: PostOptions, here: (text: string) => string): Response {
  if (response === undefined)
    throw new ProviderError(error?.code ?? "network", error?.message ?? "the recording holds no answer");
  if (signal.aborted) throw new ProviderError("aborted", "interrupted");
  const local = response.encoding === undefined ? here(response.body) : response.body;
  const pieces = local === response.body ? piecesOf(response) : [Buffer.from(local)];
  const body = play(pieces, response);
  signal.addEventListener("abort", () => body.destroy(), { once: true });
  return { head: body, body };
}

/** Piece by piece, without the waits. */
function play(pieces: readonly Buffer[], { status, headers, end }: RecordedResponse): Response["head"] {
  async function* run() {
    for (const piece of pieces) {
      yield piece;
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (end === "cut") throw new Error("the connection broke here when it was recorded");
  }
  const stream = Readable.from(run(), { objectMode: false });
  return Object.defineProperties(stream, {
    statusCode: { value: status },
    headers: { value: headers },
    complete: { get: () => stream.readableEnded },
  }) as Response["head"];
}

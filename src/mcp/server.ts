import { messageOf, ToolError } from "../contracts/errors.ts";
import type { McpConnection, McpServer } from "../contracts/mcp-server.ts";
import type { Listing } from "./listing.ts";
import type { ListingMemory } from "./listing-memory.ts";
import { type CallOptions, type Link, LinkGone, type LinkOptions, openLink } from "./open-link.ts";

export type ServerState = "not started" | "starting" | "ready" | "failed" | "ended";

export type ServerOptions = Omit<LinkOptions, "signal" | "onToolsChanged" | "connection"> & {
  readonly server: McpServer;
  /** With its variables filled in; or why that cannot be done. */
  readonly connection: McpConnection | { readonly problem: string };
  readonly memory: ListingMemory;
  readonly callTimeoutMs: number;
  /** The server offers something else than was known before. */
  readonly onListing: (listing: Listing, before: Listing | undefined) => void;
};

/** One server: started when it is first needed, and again after it ended, but not without end. */
export type Server = {
  readonly definition: McpServer;
  state(): ServerState;
  problem(): string | undefined;
  /** As last known, whether it runs or not. */
  listing(): Listing | undefined;
  /** When the list was last seen, in another session. */
  readonly listedAt: number | undefined;
  /** Starts it if need be. */
  start(): Promise<void>;
  /** Throws ToolError. */
  request(
    method: string,
    parameters: Record<string, unknown>,
    options: Omit<CallOptions, "timeoutMs">,
  ): Promise<unknown>;
  close(): Promise<void>;
};

/** Waits before the second and the third start in a row; then it rests. */
const backoffMs = [0, 200, 1_000];
const restMs = 60_000;

export function createServer(options: ServerOptions): Server {
  const { server, connection, memory, callTimeoutMs } = options;
  const remembered = "problem" in connection ? undefined : memory.recall(connection);
  const closing = new AbortController();
  let listing: Listing | undefined = remembered;
  let live: Link | undefined;
  let opening: Promise<Link> | undefined;
  let state: ServerState = "problem" in connection ? "failed" : "not started";
  let problem = "problem" in connection ? connection.problem : undefined;
  let failures = 0;
  let restUntil = 0;

  function noteFailure(why: string, next: ServerState): void {
    problem = why;
    state = next;
    if (++failures >= backoffMs.length) restUntil = Date.now() + restMs;
  }

  function takeListing(found: Listing): void {
    const before = listing;
    listing = found;
    if (!("problem" in connection)) memory.remember(connection, found);
    if (before === undefined || !isSame(before, found)) options.onListing(found, before);
  }

  async function refresh(link: Link): Promise<void> {
    const found = await link.list(options.startTimeoutMs).catch(() => undefined);
    if (found !== undefined && live === link) takeListing(found);
  }

  async function open(): Promise<Link> {
    if ("problem" in connection) throw new Error(connection.problem);
    if (failures >= backoffMs.length) {
      if (Date.now() < restUntil)
        throw new Error(`${problem}; it failed ${failures} times in a row and rests for a minute`);
      failures = 0;
    }
    state = "starting";
    await pause(backoffMs[failures] ?? 0, closing.signal);
    try {
      const link = await openLink({
        ...options,
        connection,
        signal: closing.signal,
        onToolsChanged: () => void (live && refresh(live)),
      });
      const found = await link.list(options.startTimeoutMs).catch(async (error: unknown) => {
        await link.close();
        throw error;
      });
      live = link;
      state = "ready";
      problem = undefined;
      takeListing(found);
      void link.gone.then((why) => {
        if (live !== link) return;
        live = undefined;
        noteFailure(why, "ended");
      });
      return link;
    } catch (error) {
      if (closing.signal.aborted) state = "not started";
      else noteFailure(messageOf(error), "failed");
      throw error;
    }
  }

  function connect(): Promise<Link> {
    if (live !== undefined) return Promise.resolve(live);
    opening ??= open().finally(() => {
      opening = undefined;
    });
    return opening;
  }

  return {
    definition: server,
    state: () => state,
    problem: () => problem,
    listing: () => listing,
    listedAt: remembered?.at,
    async start() {
      await connect();
    },
    async request(method, parameters, call) {
      const options = { ...call, timeoutMs: server.timeoutMs ?? callTimeoutMs };
      const ask = async () => {
        const link = await orAborted(connect(), call.signal).catch((error: unknown) => {
          throw new ToolError(`The MCP server ${server.name} cannot be used: ${messageOf(error)}.`);
        });
        return link.request(method, parameters, options);
      };
      try {
        const answer = await ask().catch((error: unknown) => {
          if (error instanceof LinkGone && error.effect === "none") return ask();
          throw error;
        });
        failures = 0;
        return answer;
      } catch (error) {
        if (error instanceof ToolError) throw error;
        const more = error instanceof LinkGone ? ` ${effectUnknown}` : "";
        throw new ToolError(`The MCP server ${server.name} failed at this call: ${messageOf(error)}.${more}`);
      }
    },
    async close() {
      closing.abort();
      const link = live;
      live = undefined;
      state = "not started";
      await opening?.catch(() => {});
      await link?.close().catch(() => {});
    },
  };
}

const effectUnknown = "Whether the call took effect is not known; the next call starts the server again.";

function isSame(a: Listing, b: Listing): boolean {
  const parts = ({ tools, prompts, hasResources }: Listing) => JSON.stringify([tools, prompts, hasResources]);
  return parts(a) === parts(b);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms === 0 || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const stop = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      resolve();
    };
    const timer = setTimeout(stop, ms);
    signal.addEventListener("abort", stop);
  });
}

function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new Error("interrupted"));
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

import type { Transport } from "@modelcontextprotocol/client";
import { messageOf } from "../contracts/errors.ts";
import type { McpConnection } from "../contracts/mcp-server.ts";
import { cleanLine, cleanText } from "./clean-text.ts";
import { createHttpTransport } from "./http-transport.ts";
import { anything, listOffers } from "./list-offers.ts";
import type { Listing } from "./listing.ts";
import { createAuthProvider, type TokenStore } from "./oauth.ts";
import { createStdioTransport } from "./stdio-transport.ts";

export type LinkOptions = {
  /** With its variables filled in. */
  readonly connection: McpConnection;
  readonly cwd: string;
  /** What a process inherits: free of keys. */
  readonly environment: Readonly<Record<string, string>>;
  readonly version: string;
  readonly tokens: TokenStore;
  readonly startTimeoutMs: number;
  readonly signal: AbortSignal;
  readonly onToolsChanged: () => void;
};

export type CallOptions = {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly onProgress?: (text: string) => void;
};

/** A connection to a server that has said hello. Everything rejects with an error whose message says what went wrong. */
export type Link = {
  list(timeoutMs: number): Promise<Listing>;
  request(method: string, parameters: Record<string, unknown>, options: CallOptions): Promise<unknown>;
  /** Resolves with the reason when the connection is gone. */
  readonly gone: Promise<string>;
  close(): Promise<void>;
};

/** Results are read field by field too. */
const acceptAll = { getValidator: () => (data: unknown) => ({ valid: true as const, data, errorMessage: undefined }) };

const closeMs = 500;

export async function openLink(options: LinkOptions): Promise<Link> {
  const sdk = await import("@modelcontextprotocol/client");
  const { connection, version, signal, startTimeoutMs } = options;
  const client = new sdk.Client(
    { name: "corecoder", version },
    {
      capabilities: {},
      jsonSchemaValidator: acceptAll as never,
      // a program may end when it is asked what it does not know; a server on the network answers
      ...(connection.type === "http" ? { versionNegotiation: { mode: "auto" as const } } : {}),
    },
  );
  const { transport, problem } = createTransport(options, sdk);
  let lost = "";
  const gone = new Promise<string>((resolve) => {
    client.onclose = () => resolve(problem() || lost || "the connection was closed");
  });
  client.onerror = () => {};
  client.setNotificationHandler("notifications/tools/list_changed", () => options.onToolsChanged());
  try {
    await inTime(client.connect(transport, { timeout: startTimeoutMs, signal }), options);
  } catch (error) {
    // a process that ends at once has not said why yet
    const why = connection.type === "stdio" && isClosed(error) ? await Promise.race([gone, pause(closeMs)]) : undefined;
    await Promise.race([transport.close().catch(() => {}), pause(closeMs)]);
    throw new Error(why || startProblem(error, options));
  }
  return {
    list: (timeoutMs) => listOffers(client, { timeoutMs, signal }),
    request: (method, params, { timeoutMs, signal: stop, onProgress }) =>
      client
        .request({ method, params }, anything, {
          signal: stop,
          timeout: timeoutMs,
          ...(onProgress
            ? {
                onprogress: (progress) => onProgress(progressLine(progress)),
                resetTimeoutOnProgress: true,
                maxTotalTimeout: 10 * timeoutMs,
              }
            : {}),
        })
        .catch((error: unknown) => {
          if (isLost(error)) {
            lost = cleanLine(messageOf(error), 300);
            void client.close();
          }
          if (isClosed(error) || isLost(error)) {
            const effect = isForgotten(error) ? "none" : "unknown";
            return gone.then((why) => Promise.reject(new LinkGone(why, effect)));
          }
          if ((error as { code?: unknown }).code === "REQUEST_TIMEOUT")
            throw new Error(`it did not answer within ${timeoutMs / 1000} s; the call was cancelled`);
          throw new Error(cleanText(messageOf(error), 2_000));
        }),
    gone,
    async close() {
      if ("terminateSession" in transport)
        await Promise.race([
          (transport as { terminateSession(): Promise<void> }).terminateSession(),
          pause(closeMs),
        ]).catch(() => {});
      await client.close();
    },
  };
}

/** The connection ended while the server was asked. */
export class LinkGone extends Error {
  constructor(
    message: string,
    readonly effect: "none" | "unknown",
  ) {
    super(message);
  }
}

function createTransport(
  { connection, cwd, environment, tokens }: LinkOptions,
  sdk: typeof import("@modelcontextprotocol/client"),
): { readonly transport: Transport; readonly problem: () => string } {
  if (connection.type !== "stdio")
    return { transport: createHttpTransport(sdk, connection, createAuthProvider(tokens)), problem: () => "" };
  const { command, args, env } = connection;
  const parse = (line: string) => sdk.deserializeMessage(line);
  const transport = createStdioTransport({ command, args, cwd, env: { ...environment, ...env }, parse });
  return { transport, problem: transport.problem };
}

function isClosed(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === "CONNECTION_CLOSED" || code === "NOT_CONNECTED" || code === "SEND_FAILED" || code === "EPIPE";
}

/** The server does not know us any more, as after a restart: it heard the greeting of another life, and nothing of this call. */
function isForgotten(error: unknown): boolean {
  const { status } = error as { status?: unknown };
  return status === 404 || (status === 400 && /session/i.test(messageOf(error)));
}

/** Only a new greeting helps. */
function isLost(error: unknown): boolean {
  const { name } = error as { name?: unknown };
  return isForgotten(error) || (name === "TypeError" && messageOf(error) === "fetch failed");
}

/** Not every transport keeps to the time, or hears that it should stop. */
function inTime<T>(work: Promise<T>, { signal, startTimeoutMs }: LinkOptions): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const stop = () => settle(() => reject(new Error("interrupted")));
    const late = () => settle(() => reject(Object.assign(new Error("too late"), { code: "REQUEST_TIMEOUT" })));
    const timer = setTimeout(late, startTimeoutMs);
    const settle = (end: () => void) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      end();
    };
    signal.addEventListener("abort", stop);
    if (signal.aborted) stop();
    work.then(
      (value) => settle(() => resolve(value)),
      (error: unknown) => settle(() => reject(error)),
    );
  });
}

function startProblem(error: unknown, { connection, startTimeoutMs }: LinkOptions): string {
  const { code, name, cause } = error as { code?: unknown; name?: unknown; cause?: unknown };
  if (code === "REQUEST_TIMEOUT") return `it did not answer within ${startTimeoutMs / 1000} s`;
  if (code === "ENOENT" && connection.type === "stdio")
    return `there is no program ${cleanLine(connection.command, 200)}; install it, or give its full path`;
  if (name === "UnauthorizedError") return messageOf(error);
  const deeper = cause === undefined ? "" : ` (${messageOf(cause)})`;
  return cleanLine(`${messageOf(error)}${deeper}`, 400);
}

function pause(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), ms).unref());
}

type ProgressNote = {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
};

function progressLine({ progress, total, message }: ProgressNote): string {
  const count = total === undefined ? `${progress}` : `${progress}/${total}`;
  return `${[count, cleanLine(message, 200)].filter(Boolean).join(" ")}\n`;
}

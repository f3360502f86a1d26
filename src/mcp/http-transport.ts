import type { FetchLike, OAuthClientProvider, Transport } from "@modelcontextprotocol/client";
import type { McpConnection } from "../contracts/mcp-server.ts";

type HttpConnection = Extract<McpConnection, { url: string }>;
type Sdk = Pick<typeof import("@modelcontextprotocol/client"), "StreamableHTTPClientTransport" | "SSEClientTransport">;

/** One answer may be so long; the stream of events that a server may hold open is not one. */
const maxAnswerBytes = 64 * 1024 * 1024;

export type HttpTransport = Transport & {
  finishAuth(parameters: URLSearchParams): Promise<void>;
  terminateSession?(): Promise<void>;
};

export function createHttpTransport(
  sdk: Sdk,
  { type, url, headers }: HttpConnection,
  authProvider: OAuthClientProvider,
): HttpTransport {
  const options = { authProvider, requestInit: { headers: { ...headers } }, fetch: boundedFetch };
  const address = new URL(url);
  return (
    type === "sse"
      ? new sdk.SSEClientTransport(address, options)
      : new sdk.StreamableHTTPClientTransport(address, options)
  ) as HttpTransport;
}

const boundedFetch: FetchLike = async (url, init) => {
  const response = await fetch(url, init);
  if (response.body === null || (init?.method ?? "GET") === "GET") return response;
  let bytes = 0;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      bytes += piece.byteLength;
      if (bytes > maxAnswerBytes) controller.error(new Error("it sent more than 64 MB"));
      else controller.enqueue(piece);
    },
  });
  return new Response(response.body.pipeThrough(limit), response);
};

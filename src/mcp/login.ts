import type { McpConnection } from "../contracts/mcp-server.ts";
import { cleanLine } from "./clean-text.ts";
import { createHttpTransport } from "./http-transport.ts";
import { openLoginCallback } from "./login-callback.ts";
import { createAuthProvider, type TokenStore } from "./oauth.ts";

export type LoginOptions = {
  /** With its variables filled in. */
  readonly connection: Extract<McpConnection, { url: string }>;
  readonly store: TokenStore;
  readonly version: string;
  readonly timeoutMs: number;
  /** Brings the person to this address. */
  readonly show: (address: URL) => void | Promise<void>;
};

/** Gets tokens for a server by way of the person's browser. What was kept before stays until the new ones work. */
export async function logIn({
  connection,
  store,
  version,
  timeoutMs,
  show,
}: LoginOptions): Promise<"done" | "not-needed"> {
  const sdk = await import("@modelcontextprotocol/client");
  const { randomBytes } = await import("node:crypto");
  const state = randomBytes(24).toString("base64url");
  const callback = await openLoginCallback(state, connection.callbackPort);
  let kept: ReturnType<TokenStore["read"]> = {};
  const scratch: TokenStore = { ...store, read: () => kept, write: (next) => void (kept = next), forget: () => true };
  const provider = createAuthProvider(scratch, { redirectUrl: callback.redirectUrl, state, show });
  const connect = async () => {
    const client = new sdk.Client({ name: "corecoder", version });
    const transport = createHttpTransport(sdk, connection, provider);
    try {
      await client.connect(transport as never, { timeout: timeoutMs });
      await client.close();
      return undefined;
    } catch (error) {
      if (!sdk.UnauthorizedError.isInstance(error)) throw error;
      return transport;
    }
  };
  try {
    const waiting = await connect();
    if (waiting === undefined) return "not-needed";
    const parameters = await withinTime(callback.answer, timeoutMs);
    const refusal = parameters.get("error_description") ?? parameters.get("error");
    if (refusal !== null) throw new Error(`the login was refused: ${cleanLine(refusal, 200)}`);
    await waiting.finishAuth(parameters);
    if ((await connect()) !== undefined) throw new Error("the server does not accept the login it gave");
    store.write(kept);
    return "done";
  } finally {
    callback.close();
  }
}

function withinTime<T>(work: Promise<T>, limitMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`nobody came back from the login within ${limitMs / 1000} s`)), limitMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

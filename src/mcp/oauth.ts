import { join } from "node:path";
import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import type { McpServer } from "../contracts/mcp-server.ts";
import { readIfThere, removeIfThere, replacePrivateFile } from "../platform/private-files.ts";
import { sha256 } from "../platform/sha256.ts";
import { valid } from "./tool-names.ts";

/** What is kept of a login. */
type Kept = {
  readonly tokens?: StoredOAuthTokens;
  readonly client?: StoredOAuthClientInformation;
  readonly discovery?: OAuthDiscoveryState;
};

/** The tokens for one server at one address, in a file that only its owner can read. */
export type TokenStore = {
  readonly server: string;
  /** Known to the authorisation server beforehand; otherwise this program introduces itself. */
  readonly clientId: string | undefined;
  read(): Kept;
  write(kept: Kept): void;
  /** False when there was nothing. */
  forget(): boolean;
};

/** The address is part of the name: a server that moves is another one, and never gets the tokens of the old. */
export function createTokenStore(stateFolder: string, { name, connection }: McpServer, url: string): TokenStore {
  const hash = sha256(Buffer.from(url)).slice("sha256:".length, "sha256:".length + 12);
  const path = join(stateFolder, "mcp", `login-${valid(name)}-${hash}.json`);
  return {
    server: name,
    clientId: connection.type === "stdio" ? undefined : connection.clientId,
    read() {
      try {
        return JSON.parse(readIfThere(path) ?? "{}") as Kept;
      } catch {
        return {};
      }
    },
    write: (kept) => replacePrivateFile(path, JSON.stringify(kept)),
    forget() {
      const isThere = readIfThere(path) !== undefined;
      removeIfThere(path);
      return isThere;
    },
  };
}

/** Where a login is going on: who shows the address to the person, and where the answer comes. */
export type Login = {
  readonly redirectUrl: string;
  readonly state: string;
  readonly show: (address: URL) => void | Promise<void>;
};

/** Without a login going on, tokens are used and renewed; where that does not do, the person is told how to log in. */
export function createAuthProvider(store: TokenStore, login?: Login): OAuthClientProvider {
  let verifier = "";
  const change = (part: Kept) => store.write({ ...store.read(), ...part });
  return {
    get redirectUrl() {
      return login?.redirectUrl ?? "http://127.0.0.1/callback";
    },
    get clientMetadata() {
      return {
        client_name: "corecoder",
        redirect_uris: [login?.redirectUrl ?? "http://127.0.0.1/callback"],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: "none",
      };
    },
    state: () => login?.state ?? "",
    clientInformation() {
      const { client } = store.read();
      if (store.clientId !== undefined) return { ...client, client_id: store.clientId };
      if (client === undefined && login === undefined) throw needsLogin(store.server);
      return client;
    },
    saveClientInformation: (client) => change({ client }),
    tokens: () => store.read().tokens,
    saveTokens: (tokens) => change({ tokens }),
    redirectToAuthorization(address) {
      if (login === undefined) throw needsLogin(store.server);
      return login.show(address);
    },
    saveCodeVerifier(text) {
      verifier = text;
    },
    codeVerifier: () => verifier,
    saveDiscoveryState(discovery) {
      if (login !== undefined) change({ discovery });
    },
    discoveryState: () => store.read().discovery,
    invalidateCredentials(scope) {
      const { tokens, client, discovery } = store.read();
      if (scope === "all") store.forget();
      else
        store.write({
          ...(scope === "tokens" || tokens === undefined ? {} : { tokens }),
          ...(scope === "client" || client === undefined ? {} : { client }),
          ...(scope === "discovery" || discovery === undefined ? {} : { discovery }),
        });
    },
  };
}

function needsLogin(server: string): Error {
  return new Error(`it wants a login: corecoder mcp login ${server}`);
}

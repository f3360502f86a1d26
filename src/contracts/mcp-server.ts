/** How a server of tools is reached. Texts may still hold `${VAR}` and `${VAR:-default}`. */
export type McpConnection =
  | {
      readonly type: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    }
  | {
      readonly type: "http" | "sse";
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      /** For authorisation servers that know this program already. */
      readonly clientId?: string;
      readonly callbackPort?: number;
    };

/** A server as settings name it. */
export type McpServer = {
  readonly name: string;
  readonly connection: McpConnection;
  /** For each of its calls; left out: the setting for all. */
  readonly timeoutMs?: number;
  /** Where it stands. */
  readonly file: string;
  /** Who wrote it: the person, or the project that the person trusted. */
  readonly owner: "person" | "project";
};

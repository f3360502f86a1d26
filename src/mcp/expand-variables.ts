import type { McpConnection } from "../contracts/mcp-server.ts";

type Values = Readonly<Record<string, string | undefined>>;

/** `${VAR}` and `${VAR:-default}` in every text of a connection. Throws when a variable without a default is not set. */
export function expandConnection(connection: McpConnection, values: Values): McpConnection {
  const expand = (text: string) => expandText(text, values);
  const all = (texts: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, expand(text)]));
  if (connection.type === "stdio") {
    const { type, command, args, env } = connection;
    return { type, command: expand(command), args: args.map(expand), env: all(env) };
  }
  return { ...connection, url: expand(connection.url), headers: all(connection.headers) };
}

function expandText(text: string, values: Values): string {
  return text.replace(/\$\{(\w+)(?::-([^}]*))?\}/g, (_whole, name: string, fallback: string | undefined) => {
    const value = values[name] || fallback;
    if (value === undefined)
      throw new Error(`it needs the variable ${name}, which is not set; set it, or write \${${name}:-default}`);
    return value;
  });
}

import type { McpConnection, McpServer } from "../contracts/mcp-server.ts";

type Read = { readonly value: readonly McpServer[] } | { readonly problem: string };

class Misfit extends Error {}

/**
 * `{"name": {"command": …, "args": […], "env": {…}}}` or `{"name": {"type": "http", "url": …, "headers": {…}}}`, as other agents have it. Keys
 * that nobody here knows are passed over, because these entries are copied from one program to the next.
 */
export function readServers(given: unknown, file: string): Read {
  try {
    const entries = Object.entries(objectAt(given, 'an object such as {"files": {"command": "npx", "args": []}}'));
    return { value: entries.map(([name, entry]) => readServer(name, entry, file)) };
  } catch (error) {
    if (error instanceof Misfit) return { problem: error.message };
    throw error;
  }
}

function readServer(name: string, entry: unknown, file: string): McpServer {
  if (!/^[\w.@/ -]{1,64}$/.test(name))
    throw new Misfit(`has the name ${JSON.stringify(name)}; use letters, digits, - and _, at most 64`);
  const { timeout, ...fields } = objectAt(entry, `an object as "${name}"`);
  if (timeout !== undefined && !(typeof timeout === "number" && timeout > 0 && timeout <= 86_400_000))
    throw new Misfit(`needs milliseconds as "${name}".timeout`);
  return {
    name,
    connection: readConnection(name, fields),
    ...(timeout === undefined ? {} : { timeoutMs: Math.ceil(timeout) }),
    file,
    owner: "person",
  };
}

function readConnection(name: string, fields: Record<string, unknown>): McpConnection {
  const { command, args = [], env = {}, url, headers = {}, oauth = {} } = fields;
  const type = fields.type ?? (url === undefined ? "stdio" : "http");
  if (type === "stdio") {
    if (typeof command !== "string" || command.trim() === "")
      throw new Misfit(`needs a program as "${name}".command, or an address as "${name}".url`);
    if (!Array.isArray(args) || !args.every((arg) => typeof arg === "string"))
      throw new Misfit(`needs a list of texts as "${name}".args`);
    return { type, command, args, env: textsAt(env, `"${name}".env`) };
  }
  if (type !== "http" && type !== "streamable-http" && type !== "sse")
    throw new Misfit(`knows "stdio", "http" and "sse", so "${name}".type cannot be ${JSON.stringify(type)}`);
  if (typeof url !== "string" || !/^(https?:\/\/|\$\{)/.test(url))
    throw new Misfit(`needs an http or https address as "${name}".url`);
  const { clientId, callbackPort } = objectAt(oauth, `an object as "${name}".oauth`);
  return {
    type: type === "sse" ? "sse" : "http",
    url,
    headers: textsAt(headers, `"${name}".headers`),
    ...(typeof clientId === "string" ? { clientId } : {}),
    ...(typeof callbackPort === "number" && Number.isInteger(callbackPort) ? { callbackPort } : {}),
  };
}

function objectAt(value: unknown, what: string): Record<string, unknown> {
  if (value === null || typeof value !== "object" || Array.isArray(value)) throw new Misfit(`needs ${what}`);
  return value as Record<string, unknown>;
}

function textsAt(value: unknown, where: string): Record<string, string> {
  const texts = objectAt(value, `an object of texts as ${where}`);
  return Object.fromEntries(
    Object.entries(texts).map(([key, text]) => {
      if (typeof text !== "string" && typeof text !== "number" && typeof text !== "boolean")
        throw new Misfit(`needs a text as ${where}.${key}`);
      return [key, String(text)];
    }),
  );
}

/** One line for a person, without what may be secret: `npx -y server (env TOKEN)`, `http https://…`. */
export function serverLine({ connection }: McpServer): string {
  if (connection.type === "stdio") {
    const names = Object.keys(connection.env);
    return `${[connection.command, ...connection.args].join(" ")}${names.length > 0 ? ` (env ${names.join(", ")})` : ""}`;
  }
  return `${connection.type} ${connection.url.replace(/\?.*$/s, "?…")}`;
}

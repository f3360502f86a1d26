import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { type LineProcess, startLineProcess } from "../platform/line-process.ts";

export type StdioRequest = {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Throws for what is no message. */
  readonly parse: (line: string) => JSONRPCMessage;
};

/** `problem`: why it ended, as far as that is known. */
export type StdioTransport = Transport & { problem(): string };

const maxMessageChars = 16 * 1024 * 1024;
/** So much may come that is no answer to anything: logs, or nonsense. */
const maxIdleChars = 64 * 1024 * 1024;
const maxGarbageLines = 1_000;

/** A server as a process of ours: in its own group, ended with everything it started, and with this program however that ends. */
export function createStdioTransport({ command, args, env, cwd, parse }: StdioRequest): StdioTransport {
  let server: LineProcess | undefined;
  let reason: string | undefined;
  let closed: Promise<void> | undefined;
  let garbageLines = 0;
  let idleChars = 0;

  function giveUp(why: string): void {
    if (reason !== undefined) return;
    reason = why;
    transport.onerror?.(new Error(why));
    void transport.close();
  }

  function onLine(line: string): void {
    if (reason !== undefined || line.trim() === "") return;
    idleChars += line.length;
    if (idleChars > maxIdleChars) {
      giveUp("it floods its output, so it was ended");
      return;
    }
    let message: JSONRPCMessage;
    try {
      message = parse(line);
    } catch {
      if (++garbageLines > maxGarbageLines) giveUp("it writes what is no message, so it was ended");
      return;
    }
    if ("id" in message) idleChars = 0;
    transport.onmessage?.(message);
  }

  const transport: StdioTransport = {
    async start() {
      server = await startLineProcess({
        file: command,
        args,
        cwd,
        env,
        maxLineChars: maxMessageChars,
        onLine,
        onTooLong: () => giveUp("it sent a message of more than 16 MB, so it was ended"),
      });
      if (closed !== undefined) {
        await server.close();
        throw new Error("it was closed");
      }
      void server.ended.then(({ code, signal }) => {
        const how = signal === null ? `with exit code ${code}` : `by ${signal}`;
        const said = server?.complaints().split("\n").slice(-3).join(" ").slice(-300);
        reason ??= `it ended ${how}${said ? `: ${said}` : ""}`;
        transport.onclose?.();
      });
    },
    async send(message) {
      await server?.send(JSON.stringify(message));
    },
    close() {
      reason ??= "it was closed";
      closed ??= server?.close() ?? Promise.resolve();
      return closed;
    },
    problem: () => reason ?? "",
  };
  return transport;
}

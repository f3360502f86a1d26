import type { AgentOptions } from "node:https";

/** Of connections that are kept. A server that speaks something newer only should say so when the connection is made. */
export const agentOptions: AgentOptions = {
  keepAlive: true,
  keepAliveMsecs: 30_000,
  scheduling: "lifo",
  ALPNProtocols: ["http/1.1"],
};

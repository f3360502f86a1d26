import { showControl } from "../platform/terminal-text.ts";
import type { Server } from "./server.ts";

export type ServerStatus = {
  readonly name: string;
  readonly transport: string;
  readonly state: string;
  readonly tools: number | null;
  readonly prompts: number | null;
  readonly resources: boolean;
  readonly problem: string | null;
  readonly from: string;
};

export function statusOf(server: Server): ServerStatus {
  const { name, connection, file } = server.definition;
  const listing = server.listing();
  return {
    name,
    transport: connection.type,
    state: server.state(),
    tools: listing?.tools.length ?? null,
    prompts: listing?.prompts.length ?? null,
    resources: listing?.hasResources ?? false,
    problem: server.problem() ?? null,
    from: file,
  };
}

/** One line a server, and a second where something is wrong with it. */
export function statusReport(servers: readonly Server[]): string {
  return servers
    .map((server) => {
      const { name, transport, state, tools, prompts, resources, problem, from } = statusOf(server);
      const offers = [
        tools === null ? "tools unknown" : `${tools} tools`,
        ...(prompts ? [`${prompts} prompts`] : []),
        ...(resources ? ["resources"] : []),
        ...(state === "not started" && server.listedAt !== undefined ? [`listed ${dayOf(server.listedAt)}`] : []),
      ];
      const line = `${name}  ${transport}  ${state}  ${offers.join(", ")}  (${from})`;
      return `${showControl(line)}\n${problem === null ? "" : `  ${showControl(problem)}\n`}`;
    })
    .join("");
}

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 16).replace("T", " ");

import type { AgentContext, PromptRequest, PromptResponse, SessionUpdate } from "@agentclientprotocol/sdk";
import { partsOf } from "../acp/prompt-blocks.ts";
import { createUpdates } from "../acp/updates.ts";
import type { TurnOutcome } from "../contracts/event.ts";
import { describeOutcome } from "../ui/describe-outcome.ts";
import type { OpenSession } from "./acp-sessions.ts";
import { promptOfCommand } from "./prompt-of-command.ts";

type Acp = typeof import("@agentclientprotocol/sdk");

type Turn = {
  readonly acp: Acp;
  readonly session: OpenSession;
  readonly blocks: PromptRequest["prompt"];
  readonly wantsNotices: boolean;
  readonly tell: (update: SessionUpdate) => Promise<void>;
};

/** How the editor is told what happens in a session. */
export function createTell(acp: Acp, client: AgentContext, sessionId: string): Turn["tell"] {
  return (update) => client.notify(acp.methods.client.session.update, { sessionId, update });
}

/** One prompt of the editor's, from its blocks to why it ended. Throws the protocol's error when it failed. */
export async function runTurn({ acp, session, blocks, wantsNotices, tell }: Turn): Promise<PromptResponse> {
  if (session.turn !== undefined)
    throw acp.RequestError.invalidRequest(undefined, "the session is still at work on the prompt before");
  const turn = new AbortController();
  session.turn = turn;
  try {
    const { app } = session;
    const updates = createUpdates({ root: app.workspace.root, wantsNotices });
    let outcome: TurnOutcome = { type: "interrupted" };
    const parts = await promptOfCommand(partsOf(blocks), session);
    for await (const event of app.agent.send(parts, turn.signal)) {
      for (const update of updates(event)) await tell(update);
      if (event.type === "turn.finished") outcome = event.outcome;
    }
    await tellUsage(session, tell);
    return stopOf(acp, outcome, session);
  } finally {
    session.turn = undefined;
  }
}

async function tellUsage({ app }: OpenSession, tell: Turn["tell"]): Promise<void> {
  const contents = app.agent.contents();
  if (contents === undefined) return;
  const amount = await app.agent.costUsd();
  await tell({
    sessionUpdate: "usage_update",
    used: contents.parts.reduce((sum, { tokens }) => sum + tokens, 0),
    size: contents.windowTokens,
    ...(amount === null ? {} : { cost: { amount, currency: "USD" } }),
  });
}

function stopOf(acp: Acp, outcome: TurnOutcome, { app }: OpenSession): PromptResponse {
  switch (outcome.type) {
    case "done":
      return { stopReason: "end_turn" };
    case "interrupted":
      return { stopReason: "cancelled" };
    case "round-limit":
    case "repetition":
      return { stopReason: "max_turn_requests" };
    default: {
      const words = describeOutcome(outcome, { endpoint: app.provider().endpoint, model: app.model() });
      throw acp.RequestError.internalError(undefined, words);
    }
  }
}

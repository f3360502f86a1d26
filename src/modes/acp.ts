import { homedir } from "node:os";
import type { AgentContext, PromptResponse, SessionModeState, SessionUpdate } from "@agentclientprotocol/sdk";
import { answerOf, permissionRequest } from "../acp/permission-options.ts";
import { partsOf } from "../acp/prompt-blocks.ts";
import { createUpdates, historyUpdates } from "../acp/updates.ts";
import { stateFolderOf } from "../config/load.ts";
import { type ExitCode, exitCode, messageOf, UserError } from "../contracts/errors.ts";
import type { TurnOutcome } from "../contracts/event.ts";
import type { PermissionMode, PermissionQuestion } from "../contracts/permission.ts";
import { permissionModes } from "../contracts/permission.ts";
import { killAllGroups } from "../platform/process-group.ts";
import { standardStreams } from "../platform/standard-streams.ts";
import { indexWithoutPrices } from "../session/saved/session-index.ts";
import { describeOutcome } from "../ui/describe-outcome.ts";
import { version } from "../version.ts";
import { promptOfCommand } from "./acp-commands.ts";
import { type EditorSession, openEditorSession, type SessionWish } from "./acp-session.ts";
import { meanings } from "./conversation-status.ts";
import { resumeSession } from "./resume.ts";
import type { SubcommandContext } from "./subcommand.ts";

type Open = EditorSession & { turn: AbortController | undefined };

/** The Agent Client Protocol over standard input and output: the agent inside an editor. */
export async function runAcp(context: SubcommandContext): Promise<ExitCode> {
  const acp = await import("@agentclientprotocol/sdk");
  const { agent: agentMethods, client: clientMethods } = acp.methods;
  const start = { ...context, home: homedir() };
  const stateFolder = stateFolderOf(context.environment);
  const sessions = new Map<string, Open>();
  let wantsNotices = false;

  const sessionOf = (id: string): Open => {
    const session = sessions.get(id);
    if (session === undefined) throw acp.RequestError.sessionNotFound(id);
    return session;
  };
  const tell = (client: AgentContext, sessionId: string, update: SessionUpdate) =>
    client.notify(clientMethods.session.update, { sessionId, update });

  /** What a person must know arrives as an error of the request, in their words. */
  const inWords =
    <Given, Answer>(work: (given: Given) => Promise<Answer>) =>
    async (given: Given): Promise<Answer> => {
      try {
        return await work(given);
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        const { message } = error;
        throw error.exit === exitCode.auth
          ? acp.RequestError.authRequired(undefined, message)
          : acp.RequestError.invalidParams(undefined, message);
      }
    };

  async function open(client: AgentContext, wish: Omit<SessionWish, "ask">): Promise<string> {
    let id = "";
    const ask = async (question: PermissionQuestion, signal: AbortSignal) => {
      const options = { cancellationSignal: signal, stopWaitingOnCancel: true };
      const asked = client.request(clientMethods.session.requestPermission, permissionRequest(question, id), options);
      return asked.then(answerOf, () => ({ type: "no" }) as const);
    };
    const session: Open = { ...(await openEditorSession(start, { ...wish, ask })), turn: undefined };
    id = session.app.id;
    sessions.set(id, session);
    const available = session.commands.map(({ name, summary, usage }) => ({
      name,
      description: summary,
      ...(usage ? { input: { hint: usage } } : {}),
    }));
    if (available.length > 0)
      // the editor must know the session before it hears of its commands
      setImmediate(() => {
        const update = { sessionUpdate: "available_commands_update", availableCommands: available } as const;
        tell(client, id, update).catch(() => {});
      });
    return id;
  }

  async function reopen(client: AgentContext, wish: Omit<SessionWish, "ask"> & { readonly sessionId: string }) {
    const resumed = await resumeSession({ wanted: wish.sessionId, fork: false, cwd: wish.cwd, stateFolder });
    return sessionOf(await open(client, { ...wish, resumed }));
  }

  async function prompt(client: AgentContext, sessionId: string, blocks: Parameters<typeof partsOf>[0]) {
    const session = sessionOf(sessionId);
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
        for (const update of updates(event)) await tell(client, sessionId, update);
        if (event.type === "turn.finished") outcome = event.outcome;
      }
      await tellUsage(client, sessionId, session);
      return stopOf(outcome, app);
    } finally {
      session.turn = undefined;
    }
  }

  async function tellUsage(client: AgentContext, sessionId: string, { app }: Open): Promise<void> {
    const contents = app.agent.contents();
    if (contents === undefined) return;
    const amount = await app.agent.costUsd();
    await tell(client, sessionId, {
      sessionUpdate: "usage_update",
      used: contents.parts.reduce((sum, { tokens }) => sum + tokens, 0),
      size: contents.windowTokens,
      ...(amount === null ? {} : { cost: { amount, currency: "USD" } }),
    });
  }

  function stopOf(outcome: TurnOutcome, app: Open["app"]): PromptResponse {
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

  async function closeSession(id: string): Promise<void> {
    const session = sessions.get(id);
    sessions.delete(id);
    session?.turn?.abort();
    await session?.close();
  }

  const agent = acp
    .agent({ name: "corecoder" })
    .onRequest(agentMethods.initialize, ({ params }) => {
      wantsNotices = params.clientCapabilities?.session?.notices != null;
      return {
        protocolVersion: acp.PROTOCOL_VERSION,
        agentInfo: { name: "corecoder", version },
        authMethods: [],
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { image: true, embeddedContext: true },
          mcpCapabilities: { http: true, sse: true },
          sessionCapabilities: { list: {}, resume: {}, close: {}, additionalDirectories: {} },
        },
      };
    })
    .onRequest(
      agentMethods.session.new,
      inWords(async ({ params, client }) => {
        const sessionId = await open(client, params);
        return { sessionId, modes: modesOf(sessionOf(sessionId)) };
      }),
    )
    .onRequest(
      agentMethods.session.load,
      inWords(async ({ params, client }) => {
        const session = await reopen(client, params);
        for (const update of historyUpdates(session.app.agent.history)) await tell(client, session.app.id, update);
        return { modes: modesOf(session) };
      }),
    )
    .onRequest(
      agentMethods.session.resume,
      inWords(async ({ params, client }) => ({ modes: modesOf(await reopen(client, params)) })),
    )
    .onRequest(agentMethods.session.list, ({ params }) => ({ sessions: savedSessions(stateFolder, params.cwd) }))
    .onRequest(agentMethods.session.close, async ({ params }) => {
      await closeSession(sessionOf(params.sessionId).app.id);
    })
    .onRequest(agentMethods.session.setMode, ({ params }) => {
      const mode = permissionModes.find((name) => name === params.modeId);
      if (mode === undefined) throw acp.RequestError.invalidParams(undefined, `there is no mode ${params.modeId}`);
      sessionOf(params.sessionId).app.permissions.setMode(mode);
    })
    .onRequest(
      agentMethods.session.prompt,
      inWords(({ params, client }) => prompt(client, params.sessionId, params.prompt)),
    )
    .onNotification(agentMethods.session.cancel, ({ params }) => sessions.get(params.sessionId)?.turn?.abort());

  const { output, input } = await standardStreams();
  const connection = agent.connect(acp.ndJsonStream(output, input));
  const stopped = new Promise<ExitCode>((resolve) => {
    process.on("SIGTERM", () => resolve(exitCode.terminated));
    process.on("SIGHUP", () => resolve(exitCode.terminated));
    process.on("SIGINT", () => resolve(exitCode.interrupted));
  });
  const code = await Promise.race([connection.closed.then(() => exitCode.done), stopped]);
  const closing = await Promise.allSettled([...sessions.keys()].map(closeSession));
  for (const ended of closing) if (ended.status === "rejected") context.output.err(`${messageOf(ended.reason)}\n`);
  killAllGroups();
  return code;
}

function modesOf({ app }: Open): SessionModeState {
  const availableModes = permissionModes.map((id: PermissionMode) => ({ id, name: id, description: meanings[id] }));
  return { currentModeId: app.permissions.mode, availableModes };
}

/** Newest first; of one folder, or of all. */
function savedSessions(stateFolder: string, cwd: string | null | undefined) {
  const { sessions } = indexWithoutPrices({ stateFolder });
  return sessions
    .filter((session) => session.turns > 0 && session.cwd !== undefined && (cwd == null || session.cwd === cwd))
    .map(({ id, cwd: folder, name, title, endedAt }) => ({
      sessionId: id,
      cwd: folder as string,
      title: name ?? title,
      updatedAt: new Date(endedAt).toISOString(),
    }));
}

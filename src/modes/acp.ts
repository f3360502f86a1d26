import { homedir } from "node:os";
import type { InitializeResponse, SessionModeState } from "@agentclientprotocol/sdk";
import { historyUpdates } from "../acp/updates.ts";
import { stateFolderOf } from "../config/load.ts";
import { type ExitCode, exitCode, messageOf, UserError } from "../contracts/errors.ts";
import { type PermissionMode, permissionModes } from "../contracts/permission.ts";
import { killAllGroups } from "../platform/process-group.ts";
import { standardStreams } from "../platform/standard-streams.ts";
import { indexWithoutPrices } from "../session/saved/session-index.ts";
import { version } from "../version.ts";
import { createEditorSessions, type EditorSessions, type OpenSession } from "./acp-sessions.ts";
import { createTell, runTurn } from "./acp-turn.ts";
import { meanings } from "./conversation-status.ts";
import type { SubcommandContext } from "./subcommand.ts";

type Acp = typeof import("@agentclientprotocol/sdk");

/** The Agent Client Protocol over standard input and output: the agent inside an editor. */
export async function runAcp(context: SubcommandContext): Promise<ExitCode> {
  const acp = await import("@agentclientprotocol/sdk");
  const stateFolder = stateFolderOf(context.environment);
  const sessions = createEditorSessions({ acp, start: { ...context, home: homedir() }, stateFolder });
  const { output, input } = await standardStreams();
  const connection = agentFor(acp, sessions, stateFolder).connect(acp.ndJsonStream(output, input));
  const code = await Promise.race([connection.closed.then(() => exitCode.done), stopSignal()]);
  for (const problem of await sessions.closeAll()) context.output.err(`${messageOf(problem)}\n`);
  killAllGroups();
  return code;
}

function stopSignal(): Promise<ExitCode> {
  return new Promise((resolve) => {
    process.on("SIGTERM", () => resolve(exitCode.terminated));
    process.on("SIGHUP", () => resolve(exitCode.terminated));
    process.on("SIGINT", () => resolve(exitCode.interrupted));
  });
}

/** Every method of the protocol that is served, one after the other. */
function agentFor(acp: Acp, sessions: EditorSessions, stateFolder: string) {
  const { initialize, session } = acp.methods.agent;
  const inWords = createInWords(acp);
  let wantsNotices = false;
  return acp
    .agent({ name: "corecoder" })
    .onRequest(initialize, ({ params }) => {
      wantsNotices = params.clientCapabilities?.session?.notices != null;
      return introduction(acp);
    })
    .onRequest(
      session.new,
      inWords(async ({ params, client }) => {
        const opened = await sessions.open(client, params);
        return { sessionId: opened.app.id, modes: modesOf(opened) };
      }),
    )
    .onRequest(
      session.load,
      inWords(async ({ params, client }) => {
        const opened = await sessions.reopen(client, params);
        const tell = createTell(acp, client, opened.app.id);
        for (const update of historyUpdates(opened.app.agent.history)) await tell(update);
        return { modes: modesOf(opened) };
      }),
    )
    .onRequest(
      session.resume,
      inWords(async ({ params, client }) => ({ modes: modesOf(await sessions.reopen(client, params)) })),
    )
    .onRequest(session.list, ({ params }) => ({ sessions: savedSessions(stateFolder, params.cwd) }))
    .onRequest(session.close, async ({ params }) => {
      await sessions.close(sessions.get(params.sessionId).app.id);
    })
    .onRequest(session.setMode, ({ params }) => {
      const mode = permissionModes.find((name) => name === params.modeId);
      if (mode === undefined) throw acp.RequestError.invalidParams(undefined, `there is no mode ${params.modeId}`);
      sessions.get(params.sessionId).app.permissions.setMode(mode);
    })
    .onRequest(
      session.prompt,
      inWords(({ params: { sessionId, prompt }, client }) => {
        const tell = createTell(acp, client, sessionId);
        return runTurn({ acp, session: sessions.get(sessionId), blocks: prompt, wantsNotices, tell });
      }),
    )
    .onNotification(session.cancel, ({ params }) => sessions.cancel(params.sessionId));
}

function introduction(acp: Acp): InitializeResponse {
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
}

/** What a person must know arrives as an error of the request, in their words. */
function createInWords(acp: Acp) {
  return <Given, Answer>(work: (given: Given) => Promise<Answer>) =>
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
}

function modesOf({ app }: OpenSession): SessionModeState {
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

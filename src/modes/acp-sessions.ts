import type { AgentContext } from "@agentclientprotocol/sdk";
import { answerOf, permissionRequest } from "../acp/permission-options.ts";
import type { PermissionQuestion } from "../contracts/permission.ts";
import { type EditorSession, openEditorSession, type SessionWish } from "./acp-session.ts";
import { resumeSession } from "./resume.ts";
import type { SubcommandContext } from "./subcommand.ts";

export type OpenSession = EditorSession & { turn: AbortController | undefined };

type Wish = Omit<SessionWish, "ask">;

export type EditorSessions = {
  /** Throws the protocol's error for a session that is not open. */
  get(id: string): OpenSession;
  open(client: AgentContext, wish: Wish): Promise<OpenSession>;
  /** A saved one. One that is open here already is closed first: the editor has lost it. */
  reopen(client: AgentContext, wish: Wish & { readonly sessionId: string }): Promise<OpenSession>;
  cancel(id: string): void;
  close(id: string): Promise<void>;
  /** What went wrong with each of those that could not be closed in order. */
  closeAll(): Promise<readonly unknown[]>;
};

type Making = {
  readonly acp: typeof import("@agentclientprotocol/sdk");
  readonly start: SubcommandContext & { readonly home: string };
  readonly stateFolder: string;
};

/** The sessions that one editor has open. */
export function createEditorSessions({ acp, start, stateFolder }: Making): EditorSessions {
  const { session: methods } = acp.methods.client;
  const sessions = new Map<string, OpenSession>();

  function tellCommands(client: AgentContext, { app, commands }: OpenSession): void {
    if (commands.length === 0) return;
    const availableCommands = commands.map(({ name, summary, usage }) => ({
      name,
      description: summary,
      ...(usage ? { input: { hint: usage } } : {}),
    }));
    const update = { sessionUpdate: "available_commands_update", availableCommands } as const;
    // the editor must know the session before it hears of its commands
    setImmediate(() => client.notify(methods.update, { sessionId: app.id, update }).catch(() => {}));
  }

  async function open(client: AgentContext, wish: Wish): Promise<OpenSession> {
    let id = "";
    const ask = async (question: PermissionQuestion, signal: AbortSignal) => {
      const options = { cancellationSignal: signal, stopWaitingOnCancel: true };
      const asked = client.request(methods.requestPermission, permissionRequest(question, id), options);
      return asked.then(answerOf, () => ({ type: "no" }) as const);
    };
    const session: OpenSession = { ...(await openEditorSession(start, { ...wish, ask })), turn: undefined };
    id = session.app.id;
    sessions.set(id, session);
    tellCommands(client, session);
    return session;
  }

  async function close(id: string): Promise<void> {
    const session = sessions.get(id);
    sessions.delete(id);
    session?.turn?.abort();
    await session?.close();
  }

  return {
    get(id) {
      const session = sessions.get(id);
      if (session === undefined) throw acp.RequestError.sessionNotFound(id);
      return session;
    },
    open,
    async reopen(client, wish) {
      await close(wish.sessionId);
      const resumed = await resumeSession({ wanted: wish.sessionId, fork: false, cwd: wish.cwd, stateFolder });
      return open(client, { ...wish, resumed });
    },
    cancel: (id) => sessions.get(id)?.turn?.abort(),
    close,
    async closeAll() {
      const ended = await Promise.allSettled([...sessions.keys()].map(close));
      return ended.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
    },
  };
}

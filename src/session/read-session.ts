import { type ConversationRecord, createConversationRecord } from "../contracts/conversation-record.ts";
import { exitCode, messageOf, UserError } from "../contracts/errors.ts";
import type { Message, Usage } from "../contracts/message.ts";
import type { SessionEntry, SessionSettings, WorkspaceEntry } from "../contracts/session.ts";
import type { Todo } from "../contracts/tool-view.ts";
import { isInside, realOrSame } from "../platform/paths.ts";
import { findSession } from "./find-session.ts";
import { type LogDamage, type LogRecord, readLog } from "./log/read-log.ts";

type EntryOf<Type extends SessionEntry["type"]> = Extract<SessionEntry, { type: Type }>;

/** A session as its log tells it: everything that is needed to look at it or to go on with it. */
export type SavedSession = {
  readonly id: string;
  readonly path: string;
  readonly cwd: string | undefined;
  readonly model: string | undefined;
  readonly settings: SessionSettings;
  readonly ambient: SessionSettings;
  readonly name: string | undefined;
  readonly record: ConversationRecord;
  /** System prompt and tools as they were sent with the last request. */
  readonly prefix: Omit<EntryOf<"request.prefix">, "type"> | undefined;
  readonly workspace: SavedWorkspace;
  /** Every model call, sub-agents' and summaries' included. */
  readonly spent: readonly { readonly model: string; readonly usage: Usage | undefined }[];
  readonly kept: readonly EntryOf<"kept">[];
  readonly startedCalls: ReadonlySet<string>;
  /** The highest numbers in use. */
  readonly lastMessage: number;
  readonly lastHandle: number;
  readonly damage: readonly LogDamage[];
};

export type SavedWorkspace = {
  readonly cwd: string | undefined;
  readonly previousCwd: string | undefined;
  readonly exported: ReadonlyMap<string, string | undefined>;
  readonly seen: ReadonlyMap<string, string>;
  readonly changed: ReadonlySet<string>;
  readonly todos: readonly Todo[];
};

/** Reads a session by its id, the beginning of its id, or its log's path below the state folder. Throws UserError 42. */
export function readSession(given: string, stateFolder: string): SavedSession {
  const path = given.endsWith(".jsonl") ? pathBelow(given, stateFolder) : findSession(given, stateFolder);
  try {
    return collect(path, readLog(path));
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(
      exitCode.usage,
      `The session log ${path} cannot be read: ${messageOf(error)}. Check the name and its permissions.`,
    );
  }
}

function pathBelow(given: string, stateFolder: string): string {
  const path = realOrSame(given);
  if (isInside(path, realOrSame(stateFolder))) return path;
  throw new UserError(
    exitCode.usage,
    `${given} is not below ${stateFolder}, where session logs lie. Give a session's id, or a log below that folder.`,
  );
}

function collect(path: string, records: Iterable<LogRecord | LogDamage>): SavedSession {
  const record = createConversationRecord();
  const workspace = createWorkspaceFold();
  const numbers = createNumbers();
  const damage: LogDamage[] = [];
  const spent: { model: string; usage: Usage | undefined }[] = [];
  const kept: EntryOf<"kept">[] = [];
  const startedCalls = new Set<string>();
  let head: EntryOf<"session"> | undefined;
  let model: string | undefined;
  let settings: SessionSettings = {};
  let name: string | undefined;
  let prefix: EntryOf<"request.prefix"> | undefined;
  let hasMessages = false;

  function take(entry: SessionEntry, time: number): void {
    record.take(entry, time);
    switch (entry.type) {
      case "session":
        head = entry;
        ({ model } = entry);
        settings = entry.settings ?? {};
        break;
      case "model":
        ({ model } = entry);
        settings = { ...settings, ...entry.settings };
        break;
      case "name":
        ({ name } = entry);
        break;
      case "request.prefix":
        prefix = entry;
        break;
      case "message":
        hasMessages = true;
        numbers.see(entry.message);
        if (entry.message.role === "assistant")
          spent.push({ model: entry.model ?? model ?? "", usage: entry.message.usage });
        break;
      case "usage":
        spent.push({ model: entry.model, usage: entry.usage });
        break;
      case "kept":
        kept.push(entry);
        numbers.seeHandle(entry.handle);
        break;
      case "workspace":
        workspace.take(entry);
        break;
      case "event":
        if (entry.event.type === "tool.started") startedCalls.add(entry.event.callId);
    }
  }

  for (const found of records) {
    if ("entry" in found) take(found.entry, found.time);
    else damage.push(found);
  }
  if (!hasMessages)
    throw new UserError(
      exitCode.failed,
      `The session log ${path} holds no messages${damage.length > 0 ? ` (${damage.length} damaged lines)` : ""}. Choose another session.`,
    );
  const fromName = path.replace(/^.*\//, "").replace(/\.jsonl$/, "");
  return {
    id: head?.id ?? fromName,
    path,
    cwd: head?.cwd,
    model,
    settings,
    ambient: head?.ambient ?? {},
    name,
    record,
    prefix,
    workspace,
    spent,
    kept,
    startedCalls,
    lastMessage: numbers.message,
    lastHandle: numbers.handle,
    damage,
  };
}

function createWorkspaceFold(): SavedWorkspace & { take(entry: WorkspaceEntry): void } {
  let cwd: string | undefined;
  let previousCwd: string | undefined;
  let todos: readonly Todo[] = [];
  const exported = new Map<string, string | undefined>();
  const seen = new Map<string, string>();
  const changed = new Set<string>();
  return {
    exported,
    seen,
    changed,
    get cwd() {
      return cwd;
    },
    get previousCwd() {
      return previousCwd;
    },
    get todos() {
      return todos;
    },
    take(entry) {
      cwd = entry.cwd ?? cwd;
      previousCwd = entry.previousCwd ?? previousCwd;
      todos = entry.todos ?? todos;
      for (const [name, value] of entry.exported ?? []) exported.set(name, value ?? undefined);
      for (const [path, hash] of entry.seen ?? []) {
        if (hash === null) seen.delete(path);
        else seen.set(path, hash);
      }
      for (const path of entry.changed ?? []) changed.add(path);
    },
  };
}

/** Ids and handles count up over a whole session; a resumed one goes on counting. */
function createNumbers() {
  let message = 0;
  let handle = 0;
  const seeHandle = (text: string) => void (handle = Math.max(handle, Number(/^#(\d+)$/.exec(text)?.[1] ?? 0)));
  return {
    see({ id, parts }: Message): void {
      message = Math.max(message, Number(/^m(\d+)$/.exec(id)?.[1] ?? 0));
      for (const part of parts) if (part.type === "tool-result") seeHandle(part.handle);
    },
    seeHandle,
    get message() {
      return message;
    },
    get handle() {
      return handle;
    },
  };
}

import type { Receipt } from "./context.ts";
import type { TurnOutcome } from "./event.ts";
import type { ImagePart, Usage } from "./message.ts";

/** "open": a living process holds it. "interrupted": its last turn never came to an end. */
export type SessionState = "open" | "finished" | "interrupted" | "damaged";

/** What the model calls of one day with one model came to. */
export type LedgerRow = {
  /** Local, `2026-11-15`. */
  readonly day: string;
  readonly model: string;
  readonly calls: number;
  readonly usage: Usage;
  /** Of the calls whose price is known. */
  readonly costUsd: number;
  readonly unpricedCalls: number;
  /** How long prompts were worked on. */
  readonly busyMs: number;
};

/** A saved session in a few lines, folded from its log. Work that was undone counts: it was paid for. */
export type SessionDigest = {
  readonly id: string;
  readonly cwd: string | undefined;
  /** The first request, as one line. */
  readonly title: string;
  /** What the person called it. */
  readonly name: string | undefined;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly models: readonly string[];
  readonly usage: Usage;
  /** null when the price of a call is not known. */
  readonly costUsd: number | null;
  readonly calls: number;
  readonly turns: number;
  readonly toolCalls: number;
  readonly filesChanged: number;
  readonly busyMs: number;
  readonly state: SessionState;
  readonly forkedFrom: string | undefined;
  readonly logBytes: number;
  /** Places in the log that cannot be read. */
  readonly damagedPlaces: number;
  readonly ledger: readonly LedgerRow[];
};

export type ListedSession = SessionDigest & { readonly path: string };

type Placed = {
  /** Counts up over the session, sub-agents included. */
  readonly number: number;
  readonly time: number;
  /** Taken back later, and not brought again. */
  readonly isUndone: boolean;
};

export type ReadableCall = Placed & {
  readonly type: "call";
  readonly tool: string;
  /** How it was shown: `read`, `src/a.ts`. */
  readonly label: string;
  readonly title: string;
  /** The arguments as the model wrote them. */
  readonly input: string;
  readonly result:
    | {
        readonly text: string;
        readonly isError: boolean;
        readonly handle: string;
        readonly images: readonly ImagePart[];
      }
    | undefined;
  readonly durationMs: number | undefined;
  /** What it did to files, as a unified diff, where that is known. */
  readonly diff: string | undefined;
  /** Paths in the session's folder are relative to it. */
  readonly changed: readonly { readonly path: string; readonly use: "edited" | "created" | "deleted" }[];
  /** What a sub-agent did inside this call. */
  readonly items: readonly ReadableItem[];
};

export type MarkKind = "undo" | "redo" | "reset" | "model" | "name" | "resumed" | "notice" | "retry" | "damage";

export type ReadableEnding = Placed & {
  readonly type: "ending";
  readonly outcome: TurnOutcome["type"];
  readonly problem: string | undefined;
  readonly rounds: number;
  readonly usage: Usage;
  readonly costUsd: number | null;
  readonly durationMs: number;
};

/** One thing a person reads in a saved session. */
export type ReadableItem =
  | (Placed & {
      readonly type: "prompt";
      readonly text: string;
      readonly images: readonly ImagePart[];
      readonly isSynthetic: boolean;
    })
  | (Placed & { readonly type: "thinking"; readonly text: string })
  | (Placed & { readonly type: "answer"; readonly text: string; readonly isCut: boolean })
  | ReadableCall
  | (Placed & { readonly type: "receipt"; readonly receipt: Receipt })
  | (Placed & { readonly type: "mark"; readonly kind: MarkKind; readonly text: string })
  | ReadableEnding;

/** One model call: what filled the window, and what was spent so far. */
export type ReadableModelCall = {
  /** The item that came of it. */
  readonly item: number;
  readonly time: number;
  readonly model: string;
  readonly usage: Usage | undefined;
  readonly costUsd: number | null;
  readonly isSubagent: boolean;
};

export type ReadableSession = {
  readonly about: SessionDigest;
  readonly items: readonly ReadableItem[];
  readonly modelCalls: readonly ReadableModelCall[];
};

/** A place where a search found what it was asked for. */
export type SearchHit = {
  readonly time: number;
  readonly role: "user" | "assistant" | "tool";
  /** The tool, for calls and results. */
  readonly tool: string | undefined;
  readonly snippet: string;
  /** Where the words stand in the snippet. */
  readonly marks: readonly { readonly start: number; readonly end: number }[];
};

export type FoundSession = {
  readonly session: ListedSession;
  readonly score: number;
  readonly hits: readonly SearchHit[];
};

/** What some calls came to. */
export type UsageSum = {
  readonly calls: number;
  readonly usage: Usage;
  /** Of the calls whose price is known. */
  readonly costUsd: number;
  readonly unpricedCalls: number;
  readonly busyMs: number;
};

export type NamedSum = UsageSum & { readonly name: string };

export type UsageStats = {
  readonly total: UsageSum;
  readonly sessions: number;
  /** In the order of the calendar. */
  readonly days: readonly NamedSum[];
  /** Dearest first, then by tokens; so are the others. */
  readonly models: readonly NamedSum[];
  readonly projects: readonly NamedSum[];
  readonly topSessions: readonly { readonly session: ListedSession; readonly sum: UsageSum }[];
};

import type { Receipt, WindowContents } from "../contracts/context.ts";
import type { ConversationRecord } from "../contracts/conversation-record.ts";
import { exitCode, messageOf, ProviderError, UserError } from "../contracts/errors.ts";
import type { AgentEvent, TurnOutcome } from "../contracts/event.ts";
import type { Message, Part, Usage } from "../contracts/message.ts";
import { monotonicMs } from "../platform/clock.ts";
import type { AgentOptions } from "./agent-options.ts";
import { createConversation } from "./conversation.ts";
import { createEventQueue, type EventQueue } from "./event-queue.ts";
import { createPromptDoor } from "./prompt-door.ts";
import { PurseEmpty } from "./purse.ts";
import type { ModelSpending } from "./spending.ts";
import { finalText, runTurn } from "./turn-loop.ts";
import { type ConflictRule, redoTurns, type UndoRequest, type UndoResult, undoTurns } from "./undo-turns.ts";

export type Agent = {
  /**
   * Runs one prompt. The events end with `turn.finished`, whatever happens; leaving the loop early interrupts the work.
   * One prompt at a time.
   */
  send(prompt: string | readonly Part[], signal?: AbortSignal): AsyncGenerator<AgentEvent, void, undefined>;
  readonly history: readonly Message[];
  /** The answer to the last prompt. */
  readonly lastText: string;
  readonly usage: Usage;
  costUsd(): Promise<number | null>;
  spentByModel(): Promise<readonly ModelSpending[]>;
  /** Folds the conversation now; undefined when there is nothing worth folding. */
  compact(focus: string | undefined, signal: AbortSignal): Promise<Receipt | undefined>;
  /** Between prompts, shortly before the vendor forgets the prefix: writes a summary for the case that the person returns too late. */
  prepareForIdle(signal: AbortSignal): Promise<void>;
  /** What fills the window; undefined without a context engine. */
  contents(): WindowContents | undefined;
  /** Forgets the conversation; usage is still counted. */
  reset(): void;
  /** The model's window or prices are others now: the view is made anew from the history. */
  refit(): void;
  /** Takes back the last turns: what was said, what was done to files, or both. Not while a prompt runs. */
  undo(request: UndoRequest): Promise<UndoResult>;
  /** Takes the last undo back; undone work is gone for good when a new prompt is sent. */
  redo(conflicts: ConflictRule): Promise<UndoResult>;
  readonly record: ConversationRecord;
};

export function createAgent(options: AgentOptions): Agent {
  let queue: EventQueue<AgentEvent> = createEventQueue();
  const conversation = createConversation(options, (event) => queue.push(event));
  const { meter } = conversation;
  const door = createPromptDoor(conversation);

  /** Said while the agent works: past the same hooks as a prompt. One that a hook refuses is told, and the work goes on. */
  async function takePending(signal: AbortSignal): Promise<void> {
    for (const parts of options.pendingPrompts?.() ?? [])
      await door.enter(parts, signal).catch((error: unknown) => {
        conversation.emit({ type: "notice", text: messageOf(error) });
      });
  }

  async function runPrompt(prompt: string | readonly Part[], signal: AbortSignal): Promise<void> {
    const startedAt = monotonicMs();
    conversation.startTurn();
    conversation.closeOpenCalls();
    const parts: readonly Part[] = typeof prompt === "string" ? [{ type: "text", text: prompt }] : prompt;
    const outcome = await door
      .enter(parts, signal)
      .then(() => runTurn(conversation, signal, takePending))
      .catch((error: unknown) => outcomeOf(error, signal));
    conversation.emit({
      type: "turn.finished",
      outcome,
      totals: {
        rounds: meter.rounds,
        usage: meter.spent.usage,
        costUsd: await meter.spent.costUsd(),
        durationMs: monotonicMs() - startedAt,
        apiMs: meter.apiMs,
        denials: meter.denials,
      },
    });
  }

  return {
    async *send(prompt, signal) {
      queue = createEventQueue();
      const stop = new AbortController();
      const both = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
      const finished = runPrompt(prompt, both).then(
        () => queue.close(),
        (error: unknown) => queue.close(error),
      );
      try {
        yield* queue.read();
      } finally {
        stop.abort();
        await finished;
      }
    },
    get history() {
      return conversation.record.messages;
    },
    get lastText() {
      return finalText(conversation.record.messages);
    },
    get usage() {
      return meter.session.usage;
    },
    costUsd: () => meter.session.costUsd(),
    spentByModel: () => meter.session.byModel(),
    async compact(focus, signal) {
      const refusal = await conversation.foldRefusal(focus, signal);
      if (refusal !== undefined)
        throw new UserError(exitCode.failed, `The conversation was not folded. A PreCompact hook says: ${refusal}`);
      return conversation.fit({ signal, force: "summarise", ...(focus ? { focus } : {}) });
    },
    contents: conversation.contents,
    prepareForIdle: conversation.prepareForIdle,
    reset() {
      conversation.clear();
      door.startAgain();
    },
    refit: conversation.refit,
    undo: (request) => undoTurns(conversation, request),
    redo: (conflicts) => redoTurns(conversation, conflicts),
    record: conversation.record,
  };
}

function outcomeOf(error: unknown, signal: AbortSignal): TurnOutcome {
  if (signal.aborted || (error instanceof ProviderError && error.code === "aborted")) return { type: "interrupted" };
  if (error instanceof PurseEmpty) return { type: "budget", limitUsd: error.limitUsd };
  return { type: "failed", error: error instanceof Error ? error : new Error(String(error)) };
}

import type { AgentEvent, TurnOutcome } from "../../contracts/event.ts";
import { describeOutcome } from "../describe-outcome.ts";
import type { Attention } from "./attention.ts";
import type { Screen } from "./screen.ts";

export type WorkOptions = {
  readonly screen: Screen;
  readonly attention: Attention;
  readonly now: () => number;
  readonly send: (prompt: string, signal: AbortSignal) => AsyncIterable<AgentEvent>;
  readonly target: () => { readonly endpoint: string; readonly model: string };
  readonly isVerbose: boolean;
  /** The line at the bottom may have changed. */
  readonly refresh: () => void;
};

/** What Esc can stop: one thing at a time. */
export type Work = {
  readonly isRunning: boolean;
  stop(): void;
  /** A slash command, or a command of the person's own. */
  errand<T>(name: string, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  turn(prompt: string): Promise<TurnOutcome>;
};

/** Most commands are over before anybody could read that they run. */
const errandShownMs = 300;

const movesStatus: ReadonlySet<AgentEvent["type"]> = new Set([
  "message.added",
  "context.edited",
  "model.used",
  "turn.finished",
]);

export function createWork(options: WorkOptions): Work {
  const { screen, attention, now, refresh } = options;
  let running: AbortController | undefined;

  async function stoppable<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    running = new AbortController();
    attention.working();
    try {
      return await work(running.signal);
    } finally {
      running = undefined;
      attention.resting();
    }
  }

  function show(event: AgentEvent): void {
    if (event.type !== "cache.missed" || options.isVerbose) screen.take(event);
    if (movesStatus.has(event.type)) refresh();
  }

  return {
    get isRunning() {
      return running !== undefined;
    },
    stop: () => running?.abort(),
    async errand(name, work) {
      const timer = setTimeout(() => screen.change({ errand: { title: name, startedAt: now() } }), errandShownMs);
      try {
        return await stoppable(work);
      } finally {
        clearTimeout(timer);
        screen.change({ errand: undefined });
        refresh();
      }
    },
    async turn(prompt) {
      const startedAt = now();
      let outcome: TurnOutcome = { type: "interrupted" };
      await stoppable(async (signal) => {
        screen.startTurn();
        for await (const event of options.send(prompt, signal)) {
          show(event);
          if (event.type === "turn.finished" && event.parentCallId === undefined) outcome = event.outcome;
        }
      });
      const problem = describeOutcome(outcome, options.target());
      const tone = outcome.type === "interrupted" ? "dim" : "error";
      if (problem !== undefined) screen.print({ type: "note", tone, text: problem });
      attention.turnEnded(startedAt);
      return outcome;
    },
  };
}

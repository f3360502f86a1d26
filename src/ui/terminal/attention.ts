import { focusReports, giveTitleBack, keepTitle, notification, progress, type TerminalKind, title } from "./signals.ts";

export type AttentionOptions = {
  readonly write: (text: string) => void;
  readonly kind: TerminalKind;
  /** The person wants to be called. */
  readonly notifies: boolean;
  /** What the terminal is called, and who calls. */
  readonly name: string;
  readonly now: () => number;
};

/** What the window around the terminal shows, and when the person is called back to it. */
export type Attention = {
  begin(): void;
  end(): void;
  /** Reports of the terminal that it has the keyboard or lost it; answers false for any other sequence. */
  hear(sequence: string): boolean;
  working(): void;
  resting(): void;
  turnEnded(startedAt: number): void;
  questionWaits(turnStartedAt: number | undefined): void;
  questionAnswered(): void;
};

/** A turn this long is worth calling the person back from elsewhere. */
const longTurnMs = 10_000;

export function createAttention({ write, kind, notifies, name, now }: AttentionOptions): Attention {
  /** Undefined until the terminal says so: not all do. */
  let hasFocus: boolean | undefined;
  let isWorking = false;
  const call = (why: string) => {
    if (notifies && hasFocus !== true) write(notification(`${name}: ${why}`, kind));
  };
  return {
    begin: () => write(keepTitle(kind) + title(name, kind)),
    end: () => write(giveTitleBack(kind) + progress("none", kind)),
    hear(sequence) {
      if (sequence !== focusReports.gained && sequence !== focusReports.lost) return false;
      hasFocus = sequence === focusReports.gained;
      return true;
    },
    working() {
      isWorking = true;
      write(title(`… ${name}`, kind) + progress("busy", kind));
    },
    resting() {
      isWorking = false;
      write(title(name, kind) + progress("none", kind));
    },
    turnEnded(startedAt) {
      if (now() - startedAt >= longTurnMs) call("done");
    },
    questionWaits(turnStartedAt) {
      write(title(`? ${name}`, kind));
      // who has just sent something is still there, unless the terminal knows better
      const mayBeAway = turnStartedAt === undefined || now() - turnStartedAt >= longTurnMs;
      if (hasFocus === false || mayBeAway) call("a question waits");
    },
    questionAnswered: () => write(title(isWorking ? `… ${name}` : name, kind)),
  };
}

import type { ListedSession } from "../contracts/saved-session.ts";
import { showControl } from "../platform/terminal-text.ts";
import { ago, bytesText, counted } from "./figures.ts";
import { type Output, paint } from "./output.ts";
import { projectOf, titleOf } from "./session-table.ts";

/** What an examination of one log came to, as the doctor tells it. */
export type ExaminedLog = {
  readonly id: string;
  readonly path: string;
  readonly verdict: "sound" | "damaged" | "repaired" | "open" | "unreadable";
  readonly records: number;
  readonly turns: number;
  readonly bytes: number;
  readonly damage: readonly { readonly offset: number; readonly bytes: number; readonly kind: string }[];
  readonly foreign: number;
  readonly openCalls: number;
  readonly lostTexts: readonly { readonly handle: string; readonly state: string }[];
  /** The file with what was cut out. */
  readonly keptIn: string | null;
  readonly problem: string | null;
};

const kinds: Readonly<Record<string, string>> = {
  "torn-tail": "a last record that was not written to its end",
  checksum: "bytes that are not what was written",
  "not-an-entry": "bytes that are no record",
  "too-long": "a line longer than any record",
};

/** One line a session. */
export function examinedLine(log: ExaminedLog, output: Output): string {
  const good = log.verdict === "sound" || log.verdict === "repaired" || log.verdict === "open";
  const sign = good ? paint(output, "green", "✓") : paint(output, "red", "✗");
  const notes = [
    log.verdict === "unreadable"
      ? showControl(log.problem ?? "")
      : log.verdict === "open"
        ? "open, so left alone"
        : log.verdict,
    ...(log.damage.length > 0
      ? [`${counted(log.damage.length, "damaged place")} (${bytesText(damagedBytes(log))})`]
      : []),
    ...(log.lostTexts.length > 0 ? [`${counted(log.lostTexts.length, "long output")} lost`] : []),
    ...(log.keptIn === null ? [] : [`cut out and kept in ${showControl(log.keptIn)}`]),
  ];
  return `${sign} ${showControl(log.id)}  ${notes.join(", ")}\n`;
}

function damagedBytes({ damage }: ExaminedLog): number {
  return damage.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Everything about one. */
export function examinedDetails(log: ExaminedLog, output: Output): string {
  if (log.verdict === "unreadable") return examinedLine(log, output);
  const places = log.damage.map(
    ({ offset, bytes, kind }) => `  from byte ${offset}, ${counted(bytes, "byte")}: ${kinds[kind] ?? kind}\n`,
  );
  const lost = log.lostTexts.map(({ handle, state }) => `  the long output ${showControl(handle)} is ${state}\n`);
  return [
    examinedLine(log, output),
    `  ${showControl(log.path)}: ${bytesText(log.bytes)}, ${counted(log.records, "record")}, ${counted(log.turns, "prompt")}\n`,
    ...places,
    ...lost,
    ...(log.foreign > 0
      ? [`  ${counted(log.foreign, "record")} of a kind this version does not know; left as they are\n`]
      : []),
    ...(log.openCalls > 0
      ? [
          `  ${counted(log.openCalls, "call")} without a result: the program ended while it ran; answered when the session is taken up again\n`,
        ]
      : []),
    ...(log.verdict === "damaged"
      ? [
          "  Mend it: corecoder sessions doctor ",
          showControl(log.id),
          " --repair. Nothing is lost by that: what is cut out is kept beside.\n",
        ]
      : []),
  ].join("");
}

export type PrunedSession = {
  readonly session: ListedSession;
  readonly bytes: number;
  readonly because: "age" | "size";
  readonly outcome: "would go" | "removed" | "open" | "failed";
};

const outcomes = {
  "would go": "would go",
  removed: "removed",
  open: "is open now, so it stays",
  failed: "could not be removed",
};

export function prunedLine({ session, bytes, because, outcome }: PrunedSession, now: number): string {
  const why = because === "age" ? "too old" : "too much in all";
  return `${outcomes[outcome]} (${why}): ${showControl(session.id)}  ${ago(session.endedAt, now)}  ${bytesText(bytes)}  ${projectOf(session)}  ${titleOf(session)}\n`;
}

import type { CommandPart, PermissionAnswer, PermissionQuestion } from "../contracts/permission.ts";
import { showControl } from "../platform/terminal-text.ts";
import { type Output, paint } from "./output.ts";

/** Longest text shown whole; of a longer one both ends are shown, since the dangerous part may be at either. */
const shownLimit = 2_000;
/** Short lines must not push the head off the screen either. */
const lineLimit = 40;
/** Of a command with many parts, so many of either kind are listed. */
const listedParts = 6;

/** The question as it stands on the screen: what would happen, why it is asked, what each key does. */
export function questionText(question: PermissionQuestion, output: Output): string {
  const { request, because, rule, agent, segments = [] } = question;
  const { command } = request.view;
  const always = rule === undefined ? "" : `  a always in this project  s for this session (${shownReason(rule)})`;
  const asker = agent === undefined ? "" : ` (asked by the agent ${showControl(agent)})`;
  const lines =
    command === undefined
      ? shownCommand(request.view.title)
      : markedCommand(command, segments, (text) => paint(output, "red", text));
  return [
    "",
    paint(output, "bold", `${command === undefined ? `Allow ${request.view.label}?` : "Allow this command?"}${asker}`),
    ...lines.map((line) => `  ${line}`),
    ...partLines(command ?? "", segments).map((line) => paint(output, "dim", `  ${line}`)),
    paint(output, "dim", `  because ${shownReason(because)}`),
    `  y yes, once${always}  w no, with a word to the model  n no (default) `,
  ].join("\n");
}

/** Line by line, control characters made visible, so that what is shown is what runs; of a long text head and tail. */
export function shownCommand(text: string): readonly string[] {
  return markedCommand(text, [], (part) => part);
}

/** The same, with the parts that are not allowed yet passed through `mark`; a text too long to be shown whole is not marked. */
export function markedCommand(
  command: string,
  segments: readonly CommandPart[],
  mark: (text: string) => string,
): readonly string[] {
  const visible = countEmptyLines(command.split("\n").map(shownPiece));
  const joined = visible.join("\n");
  if (joined.length > shownLimit || visible.length > lineLimit) return headAndTail(joined);
  const risky = segments.filter(({ decision }) => decision !== "allow");
  const isWhole = risky.some(({ from, to }) => from === 0 && to === command.length);
  return risky.length === 0 || isWhole ? visible : countEmptyLines(markLines(command, risky, mark));
}

/** Runs longer than anybody indents are counted instead: they would push what follows off the screen. */
function shownPiece(text: string): string {
  return showControl(text.replace(/[ \t]{40,}/g, (run) => `<${run.length} blanks>`));
}

function countEmptyLines(lines: readonly string[]): readonly string[] {
  const shown: string[] = [];
  let empty = 0;
  for (const line of [...lines, undefined]) {
    if (line === "") {
      empty++;
      continue;
    }
    shown.push(...(empty > 3 ? [`<${empty} empty lines>`] : new Array<string>(empty).fill("")));
    empty = 0;
    if (line !== undefined) shown.push(line);
  }
  return shown;
}

function markLines(command: string, risky: readonly CommandPart[], mark: (text: string) => string): readonly string[] {
  const isRisky = new Uint8Array(command.length);
  for (const { from, to } of risky) isRisky.fill(1, from, to);
  const lines: string[] = [];
  let line = "";
  let start = 0;
  for (let at = 1; at <= command.length; at++) {
    const ends = at === command.length || command[at] === "\n" || command[at - 1] === "\n";
    if (!ends && isRisky[at] === isRisky[start]) continue;
    const piece = command.slice(start, at);
    if (piece === "\n") {
      lines.push(line);
      line = "";
    } else line += isRisky[start] ? mark(shownPiece(piece)) : shownPiece(piece);
    start = at;
  }
  return [...lines, line];
}

function headAndTail(joined: string): readonly string[] {
  const head = joined
    .slice(0, shownLimit / 2)
    .split("\n")
    .slice(0, lineLimit / 2);
  const tail = joined
    .slice(-shownLimit / 2)
    .split("\n")
    .slice(-lineLimit / 2);
  const left = joined.length - head.join("\n").length - tail.join("\n").length;
  return [...head, `[… ${left} characters not shown …]`, ...tail];
}

/** Which parts are asked about and which are allowed already; nothing for a command of one part. */
export function partLines(command: string, segments: readonly CommandPart[]): readonly string[] {
  if (segments.length < 2) return [];
  const lineOf = ({ from, to, decision, reason }: CommandPart) => {
    const text = shownPiece(command.slice(from, to));
    const short = text.length <= 80 ? text : `${text.slice(0, 40)} … ${text.slice(-37)}`;
    return decision === "allow" ? `allowed already: ${short}` : `asks: ${short} (${shownReason(reason)})`;
  };
  const listed = (parts: readonly CommandPart[], kind: string) => [
    ...parts.slice(0, listedParts).map(lineOf),
    ...(parts.length > listedParts ? [`… and ${parts.length - listedParts} more ${kind}`] : []),
  ];
  const asking = segments.filter(({ decision }) => decision !== "allow");
  const allowed = segments.filter(({ decision }) => decision === "allow");
  return [...listed(asking, "that ask"), ...listed(allowed, "allowed already")];
}

/** One line of a reason or a rule. */
export function shownReason(text: string): string {
  const visible = showControl(text);
  return visible.length <= 600 ? visible : `${visible.slice(0, 300)} … ${visible.slice(-300)}`;
}

export function answerFor(key: string): PermissionAnswer {
  switch (key) {
    case "y":
      return { type: "once" };
    case "a":
      return { type: "always" };
    case "s":
      return { type: "session" };
    default:
      return { type: "no" };
  }
}

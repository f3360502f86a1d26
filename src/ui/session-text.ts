import type { ReadableCall, ReadableEnding, ReadableItem, ReadableSession } from "../contracts/saved-session.ts";
import { showControl, stripControl } from "../platform/terminal-text.ts";
import { isDiff } from "./diff-html.ts";
import { bytesText, counted, dollars, durationText, localTime } from "./figures.ts";
import { type Output, paint } from "./output.ts";
import { receiptLine } from "./receipt-line.ts";
import { outcomeText, sessionFigures } from "./session-head.ts";
import { cutToWidth } from "./text-width.ts";
import { tellingLine } from "./tool-line.ts";

export type SessionTextOptions = {
  readonly output: Output;
  readonly width: number;
  /** Thinking, arguments and results in full. */
  readonly isVerbose: boolean;
};

/** A saved session for the terminal: what was said in full, what was done a line each. */
export function* sessionText({ about, items }: ReadableSession, options: SessionTextOptions): Generator<string> {
  const { output } = options;
  const named = about.name === undefined ? "" : ` "${showControl(about.name)}"`;
  yield `${paint(output, "bold", `Session ${showControl(about.id)}${named}`)}\n`;
  const where = about.cwd === undefined ? "" : `in ${showControl(about.cwd)}, `;
  yield `${where}${localTime(about.startedAt)}, ${showControl(about.models.join(", ")) || "no model"}\n`;
  yield `${sessionFigures(about).join(" · ")}\n`;
  for (const item of items) yield* itemText(item, "", options);
  if (items.length === 0) yield "\nNothing was said in this session.\n";
}

function* itemText(item: ReadableItem, indent: string, options: SessionTextOptions): Generator<string> {
  const { output, width, isVerbose } = options;
  const faint = (text: string) => paint(output, "dim", text);
  const room = Math.max(20, width - indent.length);
  switch (item.type) {
    case "prompt": {
      const about = `${localTime(item.time)}${item.isUndone ? " · taken back" : ""}${item.isSynthetic ? " · by the program" : ""}`;
      yield `\n${indent}${faint(`── ${about} ${"─".repeat(Math.max(0, room - about.length - 4))}`)}\n`;
      yield block(item.text, `${indent}> `, (line) => (item.isUndone ? faint(line) : paint(output, "cyan", line)));
      for (const { mediaType, base64 } of item.images)
        yield `${indent}> ${faint(`[image ${showControl(mediaType)}, ${bytesText(base64.length * 0.75)}]`)}\n`;
      yield "\n";
      break;
    }
    case "answer":
      yield block(item.text, indent, (line) => (item.isUndone ? faint(line) : line));
      if (item.isCut) yield `${indent}${faint("[cut off]")}\n`;
      break;
    case "thinking":
      if (isVerbose) yield block(item.text, `${indent}  ┊ `, faint);
      break;
    case "call":
      yield* callText(item, indent, options);
      break;
    case "receipt":
      yield `${indent}${faint(`⇣ ${receiptLine(item.receipt)}`)}\n`;
      break;
    case "mark":
      yield `${indent}${faint(cutToWidth(`• ${showControl(item.text)}`, isVerbose ? 10_000 : room))}\n`;
      break;
    case "ending":
      yield `${indent}${endingText(item, output)}\n`;
  }
}

function* callText(call: ReadableCall, indent: string, options: SessionTextOptions): Generator<string> {
  const { output, width, isVerbose } = options;
  const { label, title, result, durationMs, changed, isUndone } = call;
  const room = Math.max(20, width - indent.length - 4);
  const time = durationMs !== undefined && durationMs >= 1_000 ? `  ${durationText(durationMs)}` : "";
  const line = cutToWidth(`→ ${showControl(label)} ${showControl(oneLine(title))}`, room - time.length);
  yield `${indent}  ${paint(output, "dim", line + time + (isUndone ? "  (taken back)" : ""))}\n`;
  for (const item of call.items) yield* itemText(item, `${indent}    `, options);
  if (result === undefined) yield `${indent}    ${paint(output, "dim", "(no answer: it was still running)")}\n`;
  else if (isVerbose) {
    yield block(call.input, `${indent}    ┊ `, (text) => paint(output, "dim", text));
    yield block(result.text, `${indent}    │ `, (text) => text);
    if (call.diff !== undefined && !isDiff(result.text)) yield block(call.diff, `${indent}    │ `, (text) => text);
  } else if (result.isError)
    yield `${indent}    ${paint(output, "red", cutToWidth(`✗ ${showControl(tellingLine(result.text))}`, room))}\n`;
  if (changed.length === 0) return;
  const names = changed.slice(0, 3).map(({ path, use }) => `${path}${use === "edited" ? "" : ` (${use})`}`);
  const rest = changed.length > 3 ? ` and ${counted(changed.length - 3, "other file")}` : "";
  yield `${indent}    ${paint(output, "dim", cutToWidth(`± ${showControl(names.join(", "))}${rest}`, room))}\n`;
}

function endingText({ outcome, problem, rounds, costUsd, durationMs }: ReadableEnding, output: Output): string {
  const figures = [
    counted(rounds, "model call"),
    durationText(durationMs),
    ...(costUsd === null ? [] : [dollars(costUsd)]),
  ];
  const told = problem === undefined || problem === "" ? "" : `: ${showControl(oneLine(problem))}`;
  const text = `${outcome === "done" ? "✓" : "✗"} ${outcomeText(outcome)}${told} (${figures.join(", ")})`;
  return paint(output, outcome === "done" ? "dim" : "red", text);
}

/** Every line behind the same sign. */
function block(text: string, sign: string, style: (line: string) => string): string {
  const lines = stripControl(text).replace(/\n+$/, "").split("\n");
  return `${lines.map((line) => `${sign}${style(line)}`.trimEnd()).join("\n")}\n`;
}

function oneLine(text: string): string {
  return text.slice(0, 1_000).replace(/\s+/g, " ").trim();
}

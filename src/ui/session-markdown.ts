import type { ReadableCall, ReadableItem, ReadableSession } from "../contracts/saved-session.ts";
import { stripControl } from "../platform/terminal-text.ts";
import { isDiff } from "./diff-html.ts";
import { escapeHtml } from "./escape-html.ts";
import { bytesText, counted, dollars, durationText, localTime } from "./figures.ts";
import { receiptLine } from "./receipt-line.ts";
import { outcomeText, sessionFigures } from "./session-head.ts";

/** A saved session as a Markdown file: requests are headings, tools are folded away. */
export function sessionMarkdown({ about, items }: ReadableSession): string {
  const title = about.name ?? (about.title || about.id);
  const head = [
    `# ${inline(title)}`,
    "",
    `- session \`${about.id}\`${about.forkedFrom ? `, forked from \`${about.forkedFrom}\`` : ""}`,
    ...(about.cwd === undefined ? [] : [`- in ${code(about.cwd)}`]),
    `- ${localTime(about.startedAt)} to ${localTime(about.endedAt)}`,
    ...(about.models.length > 0 ? [`- ${about.models.map(code).join(", ")}`] : []),
    `- ${sessionFigures(about).join(", ")}`,
  ];
  let prompts = 0;
  const body = items.flatMap((item) => {
    if (item.type === "prompt" && !item.isSynthetic) prompts++;
    return ["", ...itemLines(item, prompts)];
  });
  return `${[...head, ...body].join("\n")}\n`;
}

function itemLines(item: ReadableItem, prompt: number): string[] {
  const undone = item.isUndone ? " (taken back)" : "";
  switch (item.type) {
    case "prompt": {
      const heading = item.isSynthetic
        ? `*Written by the program${undone}:*`
        : `## ${prompt}. ${inline(firstLine(item.text))}${undone}`;
      const images = item.images.map(
        ({ mediaType, base64 }) => `> *[${mediaType}, ${bytesText(base64.length * 0.75)}]*`,
      );
      return [heading, "", `*${localTime(item.time)}*`, "", ...quoted(item.text), ...images];
    }
    case "answer":
      return [...closed(stripControl(item.text).trim()), ...(item.isCut ? ["", "*[cut off]*"] : [])];
    case "thinking":
      return folded("thinking", fenced(item.text));
    case "call":
      return callLines(item, undone);
    case "receipt":
      return [`*${inline(receiptLine(item.receipt))}*`];
    case "mark":
      return [`*${inline(item.text)}*`];
    case "ending": {
      const cost = item.costUsd === null ? "" : `, ${dollars(item.costUsd)}`;
      const problem = item.problem ? `: ${inline(item.problem)}` : "";
      return [
        `*${outcomeText(item.outcome)}${problem} (${counted(item.rounds, "model call")}, ${durationText(item.durationMs)}${cost})*`,
      ];
    }
  }
}

function callLines(call: ReadableCall, undone: string): string[] {
  const { label, title, result, durationMs, changed, diff } = call;
  const time = durationMs === undefined ? "" : `, ${durationText(durationMs)}`;
  const failed = result?.isError ? ", failed" : "";
  const summary = `${label} ${firstLine(title)}${time}${failed}${undone}`;
  const files = changed.map(({ path, use }) => `- ${use} ${code(path)}`);
  const inside = call.items.flatMap((item) => ["", ...itemLines(item, 0)]);
  const text = result?.text;
  const isShown = text !== undefined && isDiff(text);
  return folded(summary, [
    ...(call.input === "" ? [] : fenced(call.input, "json")),
    ...(inside.length > 0 ? ["", "**sub-agent**", ...inside] : []),
    ...(text === undefined ? ["", "*(no answer)*"] : ["", ...fenced(text, isShown ? "diff" : "")]),
    ...(diff === undefined || isShown ? [] : ["", ...fenced(diff, "diff")]),
    ...(files.length > 0 ? ["", ...files] : []),
  ]);
}

function folded(summary: string, lines: readonly string[]): string[] {
  return ["<details>", `<summary>${escapeHtml(stripControl(summary))}</summary>`, "", ...lines, "", "</details>"];
}

/** A code block that was left open would swallow what follows. */
function closed(text: string): string[] {
  const lines = text.split("\n");
  let open: string | undefined;
  for (const line of lines) {
    const fence = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === undefined) continue;
    if (open === undefined) open = fence;
    else if (line.trim().startsWith(open) && line.trim() === fence) open = undefined;
  }
  return open === undefined ? lines : [...lines, open];
}

/** A fence longer than any in the text. */
function fenced(text: string, language = ""): string[] {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return [`${fence}${language}`, stripControl(text).replace(/\n+$/, ""), fence];
}

function quoted(text: string): string[] {
  return stripControl(text)
    .trim()
    .split("\n")
    .map((line) => `> ${line.replace(/<(?=[A-Za-z/!?])/g, "\\<")}`.trimEnd());
}

function code(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const ticks = "`".repeat(longest + 1);
  return `${ticks}${stripControl(text).replace(/\s+/g, " ")}${ticks}`;
}

function firstLine(text: string): string {
  const line = stripControl(text).trim().split("\n")[0] ?? "";
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
}

/** One line in which nothing is markup. */
function inline(text: string): string {
  return stripControl(text)
    .replace(/\s+/g, " ")
    .trim()
    .replace(/[\\`*_{}[\]<>#|]/g, "\\$&");
}

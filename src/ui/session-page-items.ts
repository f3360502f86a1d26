import type { ImagePart } from "../contracts/message.ts";
import type { ReadableCall, ReadableEnding, ReadableItem } from "../contracts/saved-session.ts";
import { diffHtml, isDiff } from "./diff-html.ts";
import { escapeHtml } from "./escape-html.ts";
import { counted, dollars, durationText, localTime, tokensText } from "./figures.ts";
import { markdownHtml } from "./markdown-html.ts";
import { receiptLine } from "./receipt-line.ts";
import { outcomeText } from "./session-head.ts";
import { visibleText } from "./visible-text.ts";

/** A diff up to this many lines is open from the start: what was changed is what people look for. */
const openDiffLines = 40;
const titleLines = 4;
const titleCharacters = 400;
const peekLines = 3;
const peekColumns = 160;

/** Everything that reaches the page as text goes through here. */
export function textHtml(text: string): string {
  return escapeHtml(visibleText(text));
}

export function itemHtml(item: ReadableItem): string {
  const undone = item.isUndone ? " undone" : "";
  const open = (kind: string) => `<div class="item ${kind}${undone}" id="i${item.number}">`;
  switch (item.type) {
    case "prompt": {
      const by = item.isSynthetic ? "written by the program" : "";
      const about = [localTime(item.time), by, item.isUndone ? "taken back" : ""].filter((word) => word !== "");
      const kind = item.isSynthetic ? "prompt synthetic" : "prompt";
      return `${open(kind)}<p class="about">${about.join(" · ")}</p><div class="said">${textHtml(item.text)}</div>${imagesHtml(item.images)}</div>`;
    }
    case "answer":
      return `${open("answer")}${markdownHtml(visibleText(item.text))}${item.isCut ? '<p class="about">cut off</p>' : ""}</div>`;
    case "thinking":
      return `${open("thinking")}<details><summary>thinking <small>${counted(wordsIn(item.text), "word")}</small></summary><div class="said">${textHtml(item.text)}</div></details></div>`;
    case "call":
      return `${open("call")}${callHtml(item)}</div>`;
    case "receipt":
      return `${open("receipt")}${textHtml(receiptLine(item.receipt))}</div>`;
    case "mark":
      return `${open(`mark ${item.kind}`)}${textHtml(item.text)}</div>`;
    case "ending":
      return `${open("ending")}${endingHtml(item)}</div>`;
  }
}

function wordsIn(text: string): number {
  return text.match(/\S+/g)?.length ?? 0;
}

function callHtml(call: ReadableCall): string {
  const { label, title, result, durationMs, changed, isUndone } = call;
  const output = result?.text ?? "";
  const ownDiff = isDiff(output) ? undefined : call.diff;
  const diff = isDiff(output) ? output : (call.diff ?? "");
  const isShortDiff = diff !== "" && lineCount(diff) <= openDiffLines;
  const state = result === undefined ? "no answer" : result.isError ? "failed" : "";
  const figures = [
    ...(isUndone ? ["taken back"] : []),
    ...(state === "" ? [] : [`<b>${state}</b>`]),
    ...(call.items.length > 0 ? [counted(callsIn(call.items), "call")] : []),
    ...(durationMs === undefined || durationMs < 100 ? [] : [durationText(durationMs)]),
  ];
  const summary = `<summary><span class="verb">${textHtml(label)}</span> <span class="title">${textHtml(shortTitle(title))}</span> <small>${figures.join(" · ")}</small>${isShortDiff ? "" : peekHtml(output)}</summary>`;
  const inside = call.items.length > 0 ? `<div class="inside">${call.items.map(itemHtml).join("\n")}</div>` : "";
  const files = changed.map(({ path, use }) => `<li>${use} <code>${textHtml(path)}</code></li>`);
  return [
    `<details class="${result?.isError ? "failed" : ""}"${isShortDiff ? " open" : ""}>${summary}<div class="body">`,
    argumentsHtml(call.input),
    inside,
    result === undefined ? "" : outputHtml(output),
    ownDiff === undefined ? "" : outputHtml(ownDiff),
    imagesHtml(result?.images ?? []),
    files.length > 0 ? `<ul class="files">${files.join("")}</ul>` : "",
    "</div></details>",
  ].join("");
}

/** Of a long command the beginning; the whole is among the arguments. */
function shortTitle(title: string): string {
  const lines = title.trim().split("\n");
  const shown = lines.slice(0, titleLines).join("\n").slice(0, titleCharacters);
  return shown.length < title.trim().length ? `${shown} …` : shown;
}

function callsIn(items: readonly ReadableItem[]): number {
  return items.filter(({ type }) => type === "call").length;
}

function lineCount(text: string): number {
  return text.split("\n").length;
}

/** The beginning of an output, for who does not open it. It is not read aloud or searched, since it stands below once more. */
function peekHtml(output: string): string {
  const lines = output.split("\n").filter((line) => line.trim() !== "");
  if (lines.length === 0) return "";
  const first = lines.slice(0, peekLines).map((line) => line.slice(0, peekColumns));
  const rest = lines.length - first.length;
  return `<span class="peek" aria-hidden="true">${textHtml(first.join("\n"))}${rest > 0 ? `\n<i>… ${counted(rest, "more line")}</i>` : ""}</span>`;
}

function outputHtml(output: string): string {
  const text = visibleText(output);
  if (text.trim() === "") return '<p class="about">no output</p>';
  return isDiff(text) ? `<pre class="diff">${diffHtml(text)}</pre>` : `<pre>${escapeHtml(text)}</pre>`;
}

/** Short arguments in a line each, long ones as blocks; what is no JSON as it was written. */
function argumentsHtml(input: string): string {
  const values = parsed(input);
  if (values === undefined) return input === "" ? "" : `<pre class="arguments">${textHtml(input)}</pre>`;
  const rows = Object.entries(values).map(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
    const shown =
      text.includes("\n") || text.length > 100 ? `<pre>${textHtml(text)}</pre>` : `<code>${textHtml(text)}</code>`;
    return `<dt>${textHtml(name)}</dt><dd>${shown}</dd>`;
  });
  return rows.length === 0
    ? ""
    : `<details class="arguments"><summary>arguments</summary><dl>${rows.join("")}</dl></details>`;
}

function parsed(input: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(input);
    return value !== null && typeof value === "object" && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Only what a browser shows as a picture, and only as data that can be nothing else. */
function imagesHtml(images: readonly ImagePart[]): string {
  return images
    .map(({ mediaType, base64 }) =>
      /^image\/(?:png|jpeg|gif|webp)$/.test(mediaType) && /^[A-Za-z0-9+/]+=*$/.test(base64)
        ? `<img src="data:${mediaType};base64,${base64}" alt="an image of the conversation" loading="lazy">`
        : `<p class="about">an image (${textHtml(mediaType)})</p>`,
    )
    .join("");
}

function endingHtml({ outcome, problem, rounds, usage, costUsd, durationMs }: ReadableEnding): string {
  const figures = [
    counted(rounds, "model call"),
    `${tokensText(usage.inputTokens)} tokens in, ${tokensText(usage.outputTokens)} out`,
    ...(costUsd === null ? [] : [dollars(costUsd)]),
    durationText(durationMs),
  ];
  const told = problem ? `: ${problem}` : "";
  const word = textHtml(outcomeText(outcome) + told);
  return `<span class="${outcome === "done" ? "good" : "bad"}">${word}</span> · ${figures.join(" · ")}`;
}

import type { ReadableItem, ReadableSession } from "../contracts/saved-session.ts";
import { jsonForScript } from "./escape-html.ts";
import { localTime } from "./figures.ts";
import { chartFrame, chartPoints, sessionChart } from "./session-chart.ts";
import { sessionFigures } from "./session-head.ts";
import { itemHtml, textHtml } from "./session-page-items.ts";
import { sessionPageScript } from "./session-page-script.ts";
import { sessionPageStyle } from "./session-page-style.ts";

type Turn = { readonly prompt: Extract<ReadableItem, { type: "prompt" }> | undefined; readonly items: ReadableItem[] };

/** A saved session as one page that needs nothing from elsewhere: to read, to search, to print. */
export async function sessionPage(session: ReadableSession): Promise<string> {
  const { about, items } = session;
  const turns = turnsOf(items);
  const points = chartPoints(session);
  const chart = sessionChart(session, points);
  const title = about.name ?? (about.title || `Session ${about.id}`);
  const data = {
    frame: chartFrame,
    items: points.map(({ item }) => item),
    times: points.map(({ time }) => localTime(time)),
    tokens: points.map(({ tokens }) => tokens),
    cost: points.map(({ costUsd }) => Number(costUsd.toFixed(4))),
  };
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${await contentPolicy()}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${textHtml(title)}</title>
<style>${sessionPageStyle}</style>
</head>
<body>
<a class="skip" href="#conversation">To the conversation</a>
${toolbar}
<div class="columns">
<nav aria-label="Requests"><h2>Requests</h2><ol>${turns.map(tocEntry).join("")}</ol></nav>
<main id="conversation" tabindex="-1">
<header>
<h1>${textHtml(cutAtWord(title, 110))}</h1>
<p class="about">${textHtml(aboutLine(session))}</p>
<ul class="figures">${sessionFigures(about)
    .map((figure) => `<li>${textHtml(figure)}</li>`)
    .join("")}</ul>
${chart === "" ? "" : `<figure id="chart"><figcaption>Window and cost over the model calls <output></output></figcaption>${chart}</figure>`}
</header>
${turns.map(turnHtml).join("\n")}
</main>
</div>
<script type="application/json" id="data">${jsonForScript(data)}</script>
<script>${sessionPageScript}</script>
</body>
</html>
`;
}

/** Nothing may be loaded or sent; of scripts and styles only the two of this page run, known by their hashes. */
async function contentPolicy(): Promise<string> {
  const { createHash } = await import("node:crypto");
  const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  return [
    "default-src 'none'",
    "img-src data:",
    `style-src ${hash(sessionPageStyle)}`,
    `script-src ${hash(sessionPageScript)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

const toolbar = `<div class="bar" role="toolbar" aria-label="Reading">
<label class="search"><span>Search</span><input type="search" id="search" placeholder="Search ( / )" autocomplete="off" spellcheck="false" aria-describedby="count"></label>
<output id="count" aria-live="polite"></output>
<button type="button" id="before" title="Previous (Shift+Enter)" aria-label="Previous hit" disabled>↑</button>
<button type="button" id="after" title="Next (Enter)" aria-label="Next hit" disabled>↓</button>
<span class="gap"></span>
<button type="button" id="unfold" title="Open or close all tool calls (e)">Unfold all</button>
<button type="button" id="theme" title="Dark or light (t)" aria-label="Dark or light">◐</button>
<button type="button" id="help" title="Keys (?)" aria-label="Keys" aria-expanded="false">?</button>
<p id="keys" hidden><kbd>/</kbd> search <kbd>Enter</kbd> <kbd>Shift+Enter</kbd> next and previous hit <kbd>j</kbd> <kbd>k</kbd> next and previous request <kbd>e</kbd> unfold all <kbd>t</kbd> dark or light <kbd>Esc</kbd> leave the search</p>
</div>`;

/** A turn begins with what the person asked; what stands before the first one has none. */
function turnsOf(items: readonly ReadableItem[]): readonly Turn[] {
  const turns: Turn[] = [];
  for (const item of items) {
    if (item.type === "prompt" && !item.isSynthetic) turns.push({ prompt: item, items: [item] });
    else if (turns.length === 0) turns.push({ prompt: undefined, items: [item] });
    else turns.at(-1)?.items.push(item);
  }
  return turns;
}

function tocEntry({ prompt }: Turn): string {
  if (prompt === undefined) return "";
  const line = prompt.text.trim().split("\n")[0] ?? "";
  const short = cutAtWord(line, 90) || "(an image)";
  return `<li${prompt.isUndone ? ' class="undone"' : ""}><a href="#i${prompt.number}">${textHtml(short)}</a></li>`;
}

function cutAtWord(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).replace(/\s+\S*$/, "")} …`;
}

function turnHtml({ items }: Turn): string {
  return `<section class="turn">${items.map(itemHtml).join("\n")}</section>`;
}

function aboutLine({ about }: ReadableSession): string {
  const { id, cwd, startedAt, endedAt, models, forkedFrom } = about;
  return [
    `${localTime(startedAt)} to ${localTime(endedAt)}`,
    ...(cwd === undefined ? [] : [cwd]),
    ...(models.length > 0 ? [models.join(", ")] : []),
    `session ${id}${forkedFrom === undefined ? "" : `, forked from ${forkedFrom}`}`,
  ].join(" · ");
}

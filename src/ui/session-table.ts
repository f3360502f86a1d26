import type { ListedSession } from "../contracts/saved-session.ts";
import { displayPath } from "../platform/paths.ts";
import { showControl } from "../platform/terminal-text.ts";
import { ago, dollars, tokensText } from "./figures.ts";
import { type Output, paint } from "./output.ts";
import { type TableColumn, textTable } from "./text-table.ts";

export type SessionTableOptions = {
  readonly width: number;
  readonly now: number;
  readonly output: Output;
  /** One block a project, or one list. */
  readonly isGrouped: boolean;
};

/** The saved sessions, newest first, a line each. */
export function sessionTable(
  sessions: readonly ListedSession[],
  { width, now, output, isGrouped }: SessionTableOptions,
): string {
  const columns = columnsAt(now);
  if (!isGrouped) return block(sessions, columns, { width, output });
  const projects = new Map<string, ListedSession[]>();
  for (const session of sessions) {
    const folder = session.cwd ?? "";
    const known = projects.get(folder);
    if (known) known.push(session);
    else projects.set(folder, [session]);
  }
  return [...projects]
    .map(([, inside]) => {
      const heading = paint(output, "bold", projectOf(inside[0] as ListedSession));
      return `${heading}\n${block(inside, columns, { width, output })}`;
    })
    .join("\n");
}

/** Nothing lies in it, so that paths are shown from the home folder or from the root. */
export const noFolder = "/dev/null";

export function projectOf({ cwd, path }: ListedSession): string {
  return showControl(cwd === undefined ? path.replace(/\/[^/]*$/, "") : displayPath(cwd, noFolder));
}

/** What a session is called where there is room for one line. */
export function titleOf({ name, title }: Pick<ListedSession, "name" | "title">): string {
  const request = title === "" ? "(nothing was asked)" : title;
  return showControl(name === undefined ? request : `[${name}] ${request}`);
}

function columnsAt(now: number): readonly TableColumn<ListedSession>[] {
  return [
    { title: "id", text: ({ id }) => showControl(id) },
    { title: "last used", text: ({ endedAt }) => ago(endedAt, now), goes: 1 },
    { title: "state", text: ({ state }) => state, goes: 3 },
    { title: "model", text: ({ models }) => showControl(modelsText(models)), goes: 5 },
    { title: "turns", align: "right", text: ({ turns }) => String(turns), goes: 6 },
    {
      title: "tokens",
      align: "right",
      text: ({ usage }) => tokensText(usage.inputTokens + usage.outputTokens),
      goes: 4,
    },
    { title: "cost", align: "right", text: ({ costUsd, calls }) => (calls === 0 ? "–" : dollars(costUsd)), goes: 2 },
    { title: "title", text: titleOf, isFlexible: true },
  ];
}

function modelsText(models: readonly string[]): string {
  const last = models.at(-1) ?? "–";
  return models.length > 1 ? `${last} +${models.length - 1}` : last;
}

function block(
  sessions: readonly ListedSession[],
  columns: readonly TableColumn<ListedSession>[],
  { width, output }: { width: number; output: Output },
): string {
  const [titles = "", ...lines] = textTable(sessions, columns, width);
  const shown = lines.map((line, at) => (sessions[at]?.state === "damaged" ? paint(output, "red", line) : line));
  return `${[paint(output, "dim", titles), ...shown].join("\n")}\n`;
}

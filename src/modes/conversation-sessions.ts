import type { ConflictRule, UndoResult } from "../agent/undo-turns.ts";
import type { createApp } from "../app.ts";
import type { CommandHost } from "../contracts/command.ts";
import { isPrompt } from "../contracts/conversation-record.ts";
import { type Message, textOf } from "../contracts/message.ts";
import { displayPath, expandPath } from "../platform/paths.ts";
import { showControl } from "../platform/terminal-text.ts";
import { chooseKey, pickRow } from "../ui/ask-person.ts";
import { counted } from "../ui/figures.ts";
import { cutToWidth } from "../ui/text-width.ts";
import { undoLines } from "../ui/undo-lines.ts";
import type { ModeContext } from "./mode-context.ts";
import { confirm, openFork, pickSession, type ResumedSession, resumeSession } from "./resume.ts";

type App = ReturnType<typeof createApp>;

export type SessionSources = {
  readonly app: () => App;
  /** Leaves the current session and goes on with another. */
  readonly switchTo: (session: ResumedSession) => void;
  /** Tells where the session stands that was switched to. */
  readonly tellPast: () => void;
};

type SessionCommands = Pick<CommandHost, "undo" | "redo" | "rewind" | "diff" | "save" | "resume">;

/** Commands that move through the session's past, and between sessions. */
export function conversationSessions(
  { cwd, resolved }: ModeContext,
  { app, switchTo, tellPast }: SessionSources,
): SessionCommands {
  const { stateFolder } = resolved.loaded;
  const shorten = (path: string) => displayPath(path, app().workspace.root);

  /** Files that others changed since are only touched when the person says so. */
  async function move(
    verb: "Took back" | "Brought back",
    attempt: (conflicts: ConflictRule) => Promise<UndoResult>,
  ): Promise<string> {
    let result = await attempt("refuse");
    if (result.type === "conflicts") {
      const paths = result.paths.map((path) => `  ${showControl(shorten(path))}\n`).join("");
      const key = await chooseKey(
        `Changed by others since:\n${paths}Overwrite them? o overwrite  s skip them, the rest goes back  n leave everything (default) `,
        "osn",
        "n",
      );
      if (key === "n") return "Nothing was changed.\n";
      result = await attempt(key === "o" ? "overwrite" : "skip");
    }
    if (result.type !== "done")
      return verb === "Took back" ? "There is nothing to take back.\n" : "There is nothing to bring back.\n";
    return undoLines({ verb, ...result, shorten });
  }

  async function chooseTurn(prompts: readonly Message[]): Promise<number | undefined> {
    const rows = prompts.toReversed().map((message) => oneLine(textOf(message)));
    const picked = await pickRow("Go back to before which prompt?", rows);
    return picked === undefined ? undefined : picked + 1;
  }

  return {
    undo: ({ turns, what }) => move("Took back", (conflicts) => app().agent.undo({ turns, what, conflicts })),
    redo: () => move("Brought back", (conflicts) => app().agent.redo(conflicts)),
    async rewind(given) {
      const { messages } = app().agent.record;
      const prompts = messages.filter(isPrompt);
      if (prompts.length === 0) return "There is nothing to go back to yet.\n";
      const turns = given ?? (await chooseTurn(prompts));
      if (turns === undefined) return "";
      const prompt = prompts.at(-Math.min(turns, prompts.length)) as Message;
      const before = messages[messages.indexOf(prompt) - 1]?.id ?? null;
      const left = app().id;
      switchTo(openFork(app().path, { cwd, stateFolder }, before));
      return `Before "${oneLine(textOf(prompt))}", in the new session ${app().id}. Files are as they were; ${left} stays as it was.\n`;
    },
    async diff({ turns, path }) {
      const { changes, messages } = app().agent.record;
      const prompts = new Set(
        messages
          .filter(isPrompt)
          .slice(-(turns ?? 0))
          .map(({ id }) => id),
      );
      const wanted = path === undefined ? undefined : expandPath(path, app().workspace.root);
      const made = changes
        .filter(({ promptId }) => turns === undefined || (promptId !== undefined && prompts.has(promptId)))
        .flatMap((change) => change.changes)
        .filter((change) => wanted === undefined || change.path === wanted || change.path.startsWith(`${wanted}/`));
      const text = made.length === 0 ? "" : await app().changeHistory.diff(made);
      if (text !== "") return text;
      const where = path === undefined ? "" : ` to ${path}`;
      return turns === undefined
        ? `No changes${where} in this session.\n`
        : `No changes${where} in the last ${turns === 1 ? "turn" : `${turns} turns`}.\n`;
    },
    save(name) {
      if (name === "") return `Everything is saved as it happens. This session: ${app().id}\n`;
      app().saveAs(name);
      return `Saved as ${showControl(name)}: corecoder -r ${JSON.stringify(name)} goes on with it.\n`;
    },
    async resume(id) {
      const current = app().id;
      const wanted = id ?? (await pickSession({ cwd, stateFolder, current }));
      if (wanted === undefined) return "";
      if (wanted === current) return "That is this session.\n";
      switchTo(await resumeSession({ wanted, fork: false, cwd, stateFolder, offerFork: confirm }));
      tellPast();
      return "";
    },
  };
}

const recapLines = 6;

/** Where a resumed conversation stands. */
export function recapOf(id: string, history: readonly Message[], extent: "title" | "whole"): string {
  const prompts = history.filter(isPrompt);
  const title = `Resumed ${id}: ${counted(prompts.length, "turn")}.`;
  if (extent === "title") return `${title}\n`;
  const last = prompts.at(-1);
  const said = history.findLast((message) => message.role === "assistant" && textOf(message).trim() !== "");
  const answer = said ? textOf(said).trim().split("\n").map(shortLine) : [];
  return [
    title,
    ...(last ? [`> ${oneLine(textOf(last))}`] : []),
    ...answer.slice(0, recapLines),
    ...(answer.length > recapLines ? ["…"] : []),
    "",
  ].join("\n");
}

const recapColumns = 240;

function shortLine(line: string): string {
  return cutToWidth(showControl(line), recapColumns);
}

function oneLine(text: string): string {
  return cutToWidth(showControl(text.trim().replace(/\s+/g, " ")), 72);
}

import type { PermissionAnswer, PermissionQuestion } from "../../contracts/permission.ts";
import { showControl } from "../../platform/terminal-text.ts";
import { markedCommand, partLines, shownCommand, shownReason } from "../permission-question.ts";
import { diffLines } from "../rendering/diff-lines.ts";
import type { Theme } from "../rendering/theme.ts";
import type { Block } from "./blocks.ts";
import type { Choice, ListAnswer, ListQuestion } from "./list-question.ts";

/** May it? What would happen stands in the question: the command with its doubtful parts marked, or the change to the file. */
export function permissionList(
  { request, because, rule, segments = [], change, agent }: PermissionQuestion,
  { theme, width }: { readonly theme: Theme; readonly width: number },
): ListQuestion {
  const { view } = request;
  const always: readonly Choice[] =
    rule === undefined
      ? []
      : [
          { key: "a", value: "always", label: `always in this project  ${shownReason(rule)}` },
          { key: "s", value: "session", label: `for this session  ${shownReason(rule)}` },
        ];
  const who = agent === undefined ? "" : `${showControl(agent)}: `;
  const what =
    view.command === undefined ? shownCommand(view.title) : markedCommand(view.command, segments, theme.warning);
  const settled = partLines(view.command ?? "", segments).map((line) => theme.dim(line));
  const diff = change === undefined ? [] : diffLines(change, { theme, width: Math.max(20, width - 2) });
  return {
    title: `${who}${view.command === undefined ? `Allow ${view.label}?` : "Allow this command?"}`,
    body: [...what, ...diff].map((line) => `  ${line}`),
    foot: [...settled, theme.dim(`because ${shownReason(because)}`)].map((line) => `  ${line}`),
    choices: [
      { key: "y", value: "once", label: "yes, once" },
      ...always,
      { key: "w", value: "word", label: "no, and a word to the model", asksFor: "to the model" },
      { key: "n", value: "no", label: "no (default)" },
    ],
    fallback: "no",
    isFiltered: false,
  };
}

export function permissionAnswer({ value, words }: ListAnswer): PermissionAnswer {
  if (value === "once" || value === "session" || value === "always") return { type: value };
  return words ? { type: "no", word: words } : { type: "no" };
}

/** What stays of a question: who said no sees later that they did, and what was allowed for longer is told. */
export function answeredBlock({ request, rule }: PermissionQuestion, answer: PermissionAnswer): Block | undefined {
  const { view } = request;
  const what = `${view.label} ${showControl(view.title.replaceAll("\n", " ⏎ "))}`;
  if (answer.type === "once") return undefined;
  if (answer.type === "no")
    return {
      type: "note",
      tone: "dim",
      text: `✗ not allowed: ${what}${answer.word ? ` (${showControl(answer.word)})` : ""}`,
    };
  const where = answer.type === "always" ? "in this project" : "for this session";
  return { type: "note", tone: "dim", text: `allowed ${where}: ${showControl(rule ?? what)}` };
}

/** A question of one text that names its keys: `Overwrite? o overwrite  s skip  n leave (default) `. */
export function keysList(question: string, keys: string, fallback: string): ListQuestion {
  const lines = question.trimEnd().split("\n");
  const last = lines.pop() ?? "";
  const first = last.search(new RegExp(`(?:^| )[${keys}] `));
  const asked = (first < 0 ? last : last.slice(0, first)).trim();
  const [title = asked, ...body] = lines.length > 0 ? [...lines, asked] : [asked];
  return {
    title,
    body,
    choices: [...keys].map((key) => ({ key, value: key, label: labelIn(last, key) })),
    fallback,
    isFiltered: false,
  };
}

function labelIn(line: string, key: string): string {
  return new RegExp(`(?:^| )${key} (.*?)(?:  |$)`).exec(line)?.[1]?.trim() ?? key;
}

/** A line of text. */
export function textList(title: string, kind: "open" | "secret"): ListQuestion {
  const choice: Choice = { value: "text", label: "", asksFor: title, isSecret: kind === "secret" };
  return { title, body: [], choices: [choice], fallback: "", isFiltered: false };
}

/** One of several rows, with a filter. */
export function rowsList(title: string, rows: readonly string[]): ListQuestion {
  return {
    title,
    body: [],
    choices: rows.map((label, at) => ({ label, value: String(at) })),
    fallback: "",
    isFiltered: true,
    hint: "type to filter · ↑↓ choose · enter takes it · esc leaves",
  };
}

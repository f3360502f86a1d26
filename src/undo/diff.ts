import { isUtf8 } from "node:buffer";
import { dirname } from "node:path";
import type { FileChange, FileState } from "../contracts/file-change.ts";
import { kindOf, sniffBytes } from "../platform/content-kind.ts";
import type { ObjectStore } from "../platform/object-store.ts";
import { displayPath } from "../platform/paths.ts";
import { showControl } from "../platform/terminal-text.ts";
import { compareTexts, countLines, hunkHeading } from "../platform/text-diff.ts";
import { type NetChange, netChanges } from "./net-changes.ts";

/** Of one file among several; a file alone is shown whole. */
const linesAFile = 400;
/** Of everything; beyond, files are only named. */
const linesInAll = 5_000;

/** Of files that are only named. */
const namesInAll = 100;

type Shown = { readonly lines: readonly string[]; readonly added: number; readonly removed: number };

/** For a person: what the changes come to, as git would show it. Nothing in it can move a cursor. */
export async function describeChanges(
  changes: readonly FileChange[],
  { store, root }: { readonly store: ObjectStore; readonly root: string },
): Promise<string> {
  const net = worthShowing(netChanges(changes));
  const out: string[] = [];
  const named: string[] = [];
  let added = 0;
  let removed = 0;
  for (const change of net) {
    const path = displayPath(change.path, root);
    if (out.length >= linesInAll) {
      named.push(`${change.before ? (change.after ? "M" : "D") : "A"} ${showControl(path)}`);
      continue;
    }
    const shown = await showChange(change, path, store);
    added += shown.added;
    removed += shown.removed;
    const room = net.length === 1 ? shown.lines.length : linesAFile;
    for (const line of shown.lines.slice(0, room)) out.push(line);
    if (shown.lines.length > room)
      out.push(`[${shown.lines.length - room} more lines of this file: /diff ${showControl(path)}]`);
  }
  if (net.length === 0) return "";
  const counted = `+${added} −${removed}${named.length > 0 ? " in those shown" : ""}`;
  return `${[...out, ...namesOnly(named)].join("\n")}\n\n${net.length === 1 ? "1 file" : `${net.length} files`} changed, ${counted}\n`;
}

function namesOnly(named: readonly string[]): string[] {
  const rest = named.length - namesInAll;
  return [...named.slice(0, namesInAll), ...(rest > 0 ? [`… and ${rest} more files`] : [])];
}

/** A folder that came or went with what is in it goes without saying. */
function worthShowing(net: readonly NetChange[]): NetChange[] {
  const holding = new Set(net.map(({ path }) => dirname(path)));
  return net.filter(({ path, before, after }) => {
    const isFolderAlone = (before ?? after)?.type === "folder" && (before === undefined || after === undefined);
    return !isFolderAlone || !holding.has(path);
  });
}

async function showChange({ before, after, path }: NetChange, shownPath: string, store: ObjectStore): Promise<Shown> {
  const name = showControl(shownPath);
  const [a, b] = path.startsWith("/") && shownPath === path ? [name, name] : [`a/${name}`, `b/${name}`];
  // git takes the old away and adds the new when they are of different kinds
  if (before && after && before.type !== after.type) {
    const old = await showChange({ path, before, after: undefined, isBroken: false }, shownPath, store);
    const now = await showChange({ path, before: undefined, after, isBroken: false }, shownPath, store);
    return { lines: [...old.lines, ...now.lines], added: now.added, removed: old.removed };
  }
  const head = [`diff --git ${a} ${b}`, ...modeLines(before, after)];
  const body = await showContent({ before, after, a: before ? a : "/dev/null", b: after ? b : "/dev/null" }, store);
  return { ...body, lines: [...head, ...body.lines] };
}

const typeBits = { file: 0o100000, link: 0o120000, folder: 0o040000 } as const;

function gitMode(state: FileState): string {
  const permissions = state.type === "link" ? 0 : state.mode;
  return (typeBits[state.type] | permissions).toString(8).padStart(6, "0");
}

function modeLines(before: FileState | undefined, after: FileState | undefined): string[] {
  const what = (state: FileState) => (state.type === "folder" ? "folder" : "file");
  if (before === undefined) return after ? [`new ${what(after)} mode ${gitMode(after)}`] : [];
  if (after === undefined) return [`deleted ${what(before)} mode ${gitMode(before)}`];
  return gitMode(before) === gitMode(after) ? [] : [`old mode ${gitMode(before)}`, `new mode ${gitMode(after)}`];
}

type Sides = {
  readonly before: FileState | undefined;
  readonly after: FileState | undefined;
  readonly a: string;
  readonly b: string;
};

const nothing: Shown = { lines: [], added: 0, removed: 0 };

async function showContent({ before, after, a, b }: Sides, store: ObjectStore): Promise<Shown> {
  if (before?.type === "folder" || after?.type === "folder") return nothing;
  if (before?.type === "file" && after?.type === "file" && before.hash === after.hash) return nothing;
  const [old, now] = [contentOf(before, store), contentOf(after, store)];
  if (old === undefined || now === undefined) return { ...nothing, lines: ["[the content was not kept]"] };
  if (!isText(old) || !isText(now)) return { ...nothing, lines: [`Binary files ${a} and ${b} differ`] };
  const hunks = await compareTexts(...foldedAlike(String(old), String(now)));
  if (hunks.length === 0) return { ...nothing, lines: ["[only line ends differ]"] };
  const lines = hunks.flatMap((hunk) => [hunkHeading(hunk), ...hunk.lines.map(harmless)]);
  return {
    lines: [`--- ${a}`, `+++ ${b}`, ...lines],
    added: countLines(hunks, "+"),
    removed: countLines(hunks, "-"),
  };
}

/** Carriage returns that both have are no difference; on one side only they are, and are shown. */
function foldedAlike(before: string, after: string): [string, string] {
  const isAlike = before.includes("\r\n") && after.includes("\r\n");
  return isAlike ? [before.replaceAll("\r\n", "\n"), after.replaceAll("\r\n", "\n")] : [before, after];
}

/** Tabs stay: they belong to the text. */
function harmless(line: string): string {
  return line.split("\t").map(showControl).join("\t");
}

function contentOf(state: FileState | undefined, store: ObjectStore): Buffer | undefined {
  if (state?.type === "file") return store.read(state.hash);
  return Buffer.from(state?.type === "link" ? state.target : "");
}

function isText(bytes: Buffer): boolean {
  return kindOf(bytes.subarray(0, sniffBytes)).type === "text" && isUtf8(bytes);
}

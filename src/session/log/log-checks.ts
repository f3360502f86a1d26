import type { SessionEntry } from "../../contracts/session.ts";

/** A log is a file that anything may have written to: what is read from it is checked before it is believed. */

type Fields = Record<string, unknown>;
type Check = (value: unknown) => boolean;

/** "unknown": of a kind that this version does not have, which a later one may have added. */
export type EntryState = "entry" | "unknown" | "wrong";

export function stateOfEntry(value: unknown): EntryState {
  if (!isObject(value) || typeof value.type !== "string") return "wrong";
  if (!Object.hasOwn(entryChecks, value.type)) return "unknown";
  const isRight = entryChecks[value.type as SessionEntry["type"]](value) && isOptional(value.parentCallId, isText);
  return isRight ? "entry" : "wrong";
}

const entryChecks: Readonly<Record<SessionEntry["type"], (entry: Fields) => boolean>> = {
  session: (entry) =>
    (entry.version === 1 || entry.version === 2) &&
    [entry.id, entry.cwd, entry.model, entry.program].every(isText) &&
    isOptional(entry.settings, isSettings) &&
    [entry.forkedFrom, entry.parent, entry.agent].every((name) => isOptional(name, isText)),
  "request.prefix": (entry) => isText(entry.system) && Array.isArray(entry.tools) && isOptional(entry.date, isText),
  message: (entry) => isMessage(entry.message) && isOptional(entry.model, isText),
  edits: (entry) => isListOf(entry.edits, isEdit) && isOptional(entry.receipt, isReceipt),
  request: (entry) => Array.isArray(entry.rent) && entry.rent.every(isNumber),
  usage: (entry) => isText(entry.model) && isUsage(entry.usage),
  summary: (entry) => isText(entry.text),
  model: (entry) => isText(entry.model) && isSettings(entry.settings),
  workspace: isWorkspace,
  changes: (entry) => isText(entry.callId) && isListOf(entry.changes, isChange),
  kept: (entry) => isText(entry.handle) && isText(entry.hash) && isNumber(entry.bytes),
  name: (entry) => isText(entry.name),
  undo: (entry) => isOptional(entry.after, isText) && isScope(entry.what) && isListOf(entry.files, isChange),
  redo: (entry) => isScope(entry.what) && isListOf(entry.files, isChange),
  reset: () => true,
  event: (entry) => isEvent(entry.event),
};

const roles: ReadonlySet<unknown> = new Set(["user", "assistant", "tool"]);

/** The fields that must be texts, for each kind of part. */
const textFields: Readonly<Record<string, readonly string[]>> = {
  text: ["text"],
  thinking: ["text"],
  image: ["mediaType", "base64"],
  "tool-call": ["callId", "tool", "rawInput"],
  "tool-result": ["callId", "tool", "text", "handle"],
};

function isMessage(value: unknown): boolean {
  return (
    isObject(value) &&
    isText(value.id) &&
    roles.has(value.role) &&
    isListOf(value.parts, isPart) &&
    isOptional(value.usage, isUsage)
  );
}

function isPart(value: unknown): boolean {
  if (!isObject(value) || typeof value.type !== "string" || !Object.hasOwn(textFields, value.type)) return false;
  if (!(textFields[value.type] as readonly string[]).every((field) => typeof value[field] === "string")) return false;
  if (value.type === "tool-call") return isOptional(value.input, isObject);
  return isOptional(value.images, isImages) && isOptional(value.changed, isTouchedFiles);
}

const isImages: Check = (value) => isListOf(value, (image) => isPart(image) && (image as Fields).type === "image");
const isTouchedFiles: Check = (value) =>
  isListOf(value, (file) => isObject(file) && isText(file.path) && isText(file.use));

/** Old logs leave out what they did not count. */
function isUsage(value: unknown): boolean {
  return (
    isObject(value) &&
    isNumber(value.inputTokens) &&
    isNumber(value.outputTokens) &&
    isOptional(value.cacheReadTokens, isNumber) &&
    isOptional(value.cacheWriteTokens, isNumber)
  );
}

function isEdit(value: unknown): boolean {
  if (!isObject(value)) return false;
  if (value.type === "replace") return [value.messageId, value.callId, value.text].every(isText);
  return (
    value.type === "fold" &&
    isText(value.through) &&
    isTexts(value.keepBefore) &&
    isTexts(value.keepAfter) &&
    isListOf(value.notes, (note) => isObject(note) && isText(note.text) && roles.has(note.role))
  );
}

function isReceipt(value: unknown): boolean {
  return (
    isObject(value) &&
    isTexts(value.stages) &&
    isTexts(value.archived) &&
    [value.tokensBefore, value.tokensAfter, value.folded, value.savesUsd].every(isNumber)
  );
}

function isWorkspace({ cwd, previousCwd, exported, seen, changed, todos }: Fields): boolean {
  return (
    isOptional(cwd, isText) &&
    isOptional(previousCwd, isText) &&
    isOptional(exported, isPairs) &&
    isOptional(seen, isPairs) &&
    isOptional(changed, isTexts) &&
    isOptional(todos, (list) =>
      isListOf(list, (todo) => isObject(todo) && isText(todo.content) && todoStates.has(todo.status)),
    )
  );
}

const todoStates: ReadonlySet<unknown> = new Set(["pending", "in_progress", "completed"]);

const isPairs: Check = (value) =>
  isListOf(
    value,
    (pair) => Array.isArray(pair) && pair.length === 2 && isText(pair[0]) && (pair[1] === null || isText(pair[1])),
  );

function isChange(value: unknown): boolean {
  return (
    isObject(value) &&
    isText(value.path) &&
    isOptional(value.before, isFileState) &&
    isOptional(value.after, isFileState)
  );
}

function isFileState(value: unknown): boolean {
  if (!isObject(value)) return false;
  if (value.type === "file") return isText(value.hash) && isNumber(value.size) && isNumber(value.mode);
  return value.type === "link" ? isText(value.target) : value.type === "folder" && isNumber(value.mode);
}

const isScope: Check = (value) => value === "both" || value === "files" || value === "conversation";

/** The fields of events that anything is concluded from; the others are only shown. */
function isEvent(value: unknown): boolean {
  if (!isObject(value) || !isText(value.type)) return false;
  if (value.type === "tool.started") return isText(value.callId) && isText(value.tool);
  if (value.type !== "turn.finished") return true;
  return isObject(value.outcome) && isText(value.outcome.type) && isObject(value.totals) && isUsage(value.totals.usage);
}

function isSettings(value: unknown): boolean {
  return (
    isObject(value) &&
    Object.values(value).every((one) => isText(one) || isNumber(one) || typeof one === "boolean" || isTexts(one))
  );
}

export function isObject(value: unknown): value is Fields {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isNumber(value: unknown): boolean {
  return typeof value === "number";
}

function isOptional(value: unknown, check: Check): boolean {
  return value === undefined || check(value);
}

function isListOf(value: unknown, check: Check): boolean {
  return Array.isArray(value) && value.every(check);
}

const isTexts: Check = (value) => isListOf(value, isText);

import type { Message, Part } from "../contracts/message.ts";
import { filesOf } from "./files-of-call.ts";

export type UseKind = "path" | "identifier" | "edit-line" | "generated";

/** Something a recorded call needed that had appeared before: it must be in the view, or be fetched again. */
export type Use = {
  readonly kind: UseKind;
  readonly text: string;
  /** Places in the history where it had appeared. */
  readonly sources: readonly number[];
};

const oldTextNames = new Set(["old_string", "old_str", "oldText", "old_text"]);
const newTextNames = new Set(["new_string", "new_str", "newText", "content", "file_text", "new_text"]);
const word = /[A-Za-z0-9_$@][A-Za-z0-9_$./@:-]{4,158}[A-Za-z0-9_$]/g;
const telling = /[0-9_/.$]|[a-z][A-Z]/;

/** For every assistant message of a session: what its calls use, and where that stood before. */
export function usesOf(messages: readonly Message[]): ReadonlyMap<Message, readonly Use[]> {
  const texts = messages.map(searchText);
  const found = new Map<string, { sources: number[]; through: number }>();
  const sourcesBefore = (text: string, index: number): readonly number[] => {
    let known = found.get(text);
    if (known === undefined) found.set(text, (known = { sources: [], through: 0 }));
    for (; known.through < index; known.through++)
      if (texts[known.through]?.includes(text)) known.sources.push(known.through);
    return [...known.sources];
  };
  const uses = new Map<Message, readonly Use[]>();
  for (const [index, message] of messages.entries()) {
    if (message.role !== "assistant") continue;
    const items = new Map<string, UseKind>();
    for (const part of message.parts) if (part.type === "tool-call") collect(part.input ?? {}, "", items);
    const list = [...items].flatMap(([text, kind]): Use[] => {
      const sources = sourcesBefore(text, index);
      return sources.length > 0 ? [{ kind, text, sources }] : [];
    });
    uses.set(message, list);
  }
  return uses;
}

function collect(value: unknown, name: string, items: Map<string, UseKind>): void {
  if (Array.isArray(value)) for (const element of value) collect(element, name, items);
  else if (value !== null && typeof value === "object")
    for (const [key, inner] of Object.entries(value)) collect(inner, key, items);
  if (typeof value !== "string") return;
  if (oldTextNames.has(name)) {
    for (const line of value.split("\n")) {
      const trimmed = line.trim();
      if (trimmed.length >= 16 && trimmed.length <= 400) items.set(trimmed, "edit-line");
    }
    return;
  }
  for (const [match] of value.matchAll(word)) {
    if (!telling.test(match)) continue;
    const isPath = match.includes("/");
    const text = isPath ? match.split("/").slice(-2).join("/") : match;
    if (text.length < 6 || items.has(text)) continue;
    items.set(text, newTextNames.has(name) ? "generated" : isPath ? "path" : "identifier");
  }
}

export function searchText(message: Message): string {
  return message.parts.map(partText).join("\n");
}

function partText(part: Part): string {
  switch (part.type) {
    case "text":
    case "tool-result":
      return part.text;
    case "tool-call":
      return `${part.tool} ${strings(part.input ?? part.rawInput)}`;
    default:
      return "";
  }
}

/** Arguments as plain text: what is escaped in JSON is the same text to a model. */
function strings(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(strings).join("\n");
  if (value !== null && typeof value === "object") return Object.values(value).map(strings).join("\n");
  return String(value);
}

export type Reach = "direct" | "one-call" | "lost";

/** Finds things in views. `history` is the session as recorded; views hold its messages, altered ones and notes. */
export function createFinder(
  history: readonly Message[],
  options: { readonly recall: ((query: string) => string) | undefined },
) {
  const alteredTexts = new WeakMap<Message, string>();
  const textOfAltered = (message: Message) => {
    let text = alteredTexts.get(message);
    if (text === undefined) alteredTexts.set(message, (text = searchText(message)));
    return text;
  };
  const own = new Set(history);
  const callOfResult = new Map<string, Part>();
  for (const message of history)
    for (const part of message.parts) if (part.type === "tool-call") callOfResult.set(part.callId, part);
  return {
    /** Prepared once a view. */
    in(view: readonly Message[]) {
      const present = new Set(view);
      const altered = view.filter((message) => !own.has(message)).map(textOfAltered);
      return (use: Use): Reach => {
        if (use.sources.some((index) => present.has(history[index] as Message))) return "direct";
        if (altered.some((text) => text.includes(use.text))) return "direct";
        return use.sources.some((index) => isNamed(index)) || isRecalled(use) ? "one-call" : "lost";
      };
      /** The thing itself, or the handle of a result it stood in. */
      function isRecalled(use: Use): boolean {
        const answer = options.recall?.(use.text) ?? "";
        const handles = use.sources.flatMap((index) =>
          (history[index]?.parts ?? []).flatMap((part) => (part.type === "tool-result" ? [`[${part.handle} `] : [])),
        );
        return answer.includes(use.text) || handles.some((handle) => answer.includes(handle));
      }
      function isNamed(index: number): boolean {
        for (const part of history[index]?.parts ?? []) {
          const call = part.type === "tool-result" ? callOfResult.get(part.callId) : undefined;
          if (call?.type !== "tool-call") continue;
          const paths = filesOf(call).map(({ path }) => path.split("/").slice(-2).join("/"));
          if (paths.some((path) => view.some((message) => textOfAltered(message).includes(path)))) return true;
        }
        return false;
      }
    },
  };
}

/** Must it be fetched again when it is missing? What only a tool told cannot be known otherwise. */
export function isFromResultsOnly(use: Use, history: readonly Message[]): boolean {
  return (
    use.kind === "edit-line" ||
    (use.kind !== "generated" && use.sources.every((index) => history[index]?.role === "tool"))
  );
}

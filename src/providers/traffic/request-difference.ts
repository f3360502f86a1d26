import type { Exchange } from "./exchange.ts";

type Recorded = Exchange["request"];

/** About the machine and the version of the program rather than the conversation. */
const passedOver = new Set(["system", "instructions", "systemInstruction", "tools", "prompt_cache_key", "session_id"]);
const systemRoles = new Set<unknown>(["system", "developer"]);
/** Every run has a session of its own, whose name is part of paths, and makes up ids for calls that came without. */
const madeUpNames = /\d{8}-\d{6}-[a-z0-9]{8}|\bcall_[a-z0-9]{16}\b/g;

/** The first place where two requests differ, in words; undefined when they ask for the same. */
export function firstDifference(recorded: Recorded, now: Recorded): string | undefined {
  if (recorded.method !== now.method) return `it was a ${recorded.method}, this one is a ${now.method}`;
  const [path, asked] = [new URL(recorded.url).pathname, new URL(now.url).pathname];
  if (path !== asked) return `it went to ${path}, this one goes to ${asked}`;
  if (recorded.body === now.body) return undefined;
  const place = compare(parsed(recorded.body), parsed(now.body), "");
  return place && `at ${place.path || "the body"}, recorded ${place.before}, now ${place.after}`;
}

type Place = { readonly path: string; readonly before: string; readonly after: string };

function compare(a: unknown, b: unknown, path: string): Place | undefined {
  if (a === b) return undefined;
  if (typeof a === "string" && typeof b === "string") return compareTexts(a, b, path);
  if (Array.isArray(a) && Array.isArray(b)) return compareLists(conversation(a), conversation(b), path);
  if (!isObject(a) || !isObject(b)) return { path, before: shown(a), after: shown(b) };
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    if (path === "" && passedOver.has(key)) continue;
    const place = compare(a[key], b[key], path === "" ? key : `${path}.${key}`);
    if (place) return place;
  }
  return undefined;
}

function compareLists(a: readonly unknown[], b: readonly unknown[], path: string): Place | undefined {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const place = compare(a[i], b[i], `${path}[${i}]`);
    if (place) return place;
  }
  return undefined;
}

/** Without the system prompt, where it is a message like others. */
function conversation(list: readonly unknown[]): readonly unknown[] {
  return list.filter((item) => !(isObject(item) && systemRoles.has(item.role)));
}

const shownChars = 60;

function compareTexts(before: string, after: string, path: string): Place | undefined {
  const [a, b] = [before.replace(madeUpNames, "[made up]"), after.replace(madeUpNames, "[made up]")];
  if (a === b) return undefined;
  let same = 0;
  while (a[same] === b[same]) same++;
  const from = Math.max(0, same - 20);
  const cut = (text: string) =>
    JSON.stringify(
      `${from > 0 ? "…" : ""}${text.slice(from, from + shownChars)}${text.length > from + shownChars ? "…" : ""}`,
    );
  return { path, before: cut(a), after: cut(b) };
}

function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value);
  return text.length > shownChars ? `${text.slice(0, shownChars)}…` : text;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

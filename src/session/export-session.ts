import type { ReadableSession, SessionDigest } from "../contracts/saved-session.ts";
import { maskSecrets } from "../platform/mask-secrets.ts";

/** Raised when a field changes its meaning or goes; new fields may come at any time. */
const exportVersion = 1;

/** A session without the secrets in it: the form in which it may leave the machine. */
export function maskSession(session: ReadableSession): ReadableSession {
  return maskTexts(session) as ReadableSession;
}

/** Every text in a value; images are no texts. */
function maskTexts(value: unknown): unknown {
  if (typeof value === "string") return maskSecrets(value);
  if (Array.isArray(value)) return value.map(maskTexts);
  if (value === null || typeof value !== "object") return value;
  if ((value as { type?: unknown }).type === "image") return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, maskTexts(inner)]));
}

/** The JSON of `sessions export --format json` and `sessions show --json`; documented in docs/sessions.md. */
export function exportJson({ about, items, modelCalls }: ReadableSession): unknown {
  return {
    format: "corecoder-session",
    version: exportVersion,
    session: describeSession(about),
    items: items.map(withDates),
    modelCalls: modelCalls.map(withDates),
  };
}

/** What machines are told of a session: every field is there, null where nothing is known, times as dates. */
export function describeSession({ ledger: _ledger, ...about }: SessionDigest): Record<string, unknown> {
  const { cwd = null, name = null, forkedFrom = null, startedAt, endedAt } = about;
  return { ...about, cwd, name, forkedFrom, startedAt: isoTime(startedAt), endedAt: isoTime(endedAt) };
}

function withDates<Item extends { readonly time: number }>(item: Item): unknown {
  const inner = "items" in item && Array.isArray(item.items) ? { items: item.items.map(withDates) } : {};
  return { ...item, time: isoTime(item.time), ...inner };
}

export function isoTime(time: number): string {
  return new Date(time).toISOString();
}

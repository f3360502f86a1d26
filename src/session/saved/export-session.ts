import type { ReadableSession, SessionDigest } from "../../contracts/saved-session.ts";
import { maskSecrets } from "../../platform/mask-secrets.ts";

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
export function describeSession(about: SessionDigest): Record<string, unknown> {
  const { id, name = null, title, cwd = null, state, forkedFrom = null, models, usage, costUsd } = about;
  const { turns, calls, toolCalls, filesChanged, logBytes, damagedPlaces } = about;
  return {
    ...{ id, name, title, cwd, state, startedAt: isoTime(about.startedAt), endedAt: isoTime(about.endedAt) },
    ...{ models, usage, costUsd, turns, calls, toolCalls, filesChanged, busyMs: Math.round(about.busyMs) },
    ...{ forkedFrom, logBytes, damagedPlaces },
  };
}

function withDates<Item extends { readonly time: number }>(item: Item): unknown {
  const inner = "items" in item && Array.isArray(item.items) ? { items: item.items.map(withDates) } : {};
  return { ...item, time: isoTime(item.time), ...inner };
}

export function isoTime(time: number): string {
  return new Date(time).toISOString();
}

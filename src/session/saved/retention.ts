import type { ListedSession } from "../../contracts/saved-session.ts";

/** How much is kept; what is left out sets no limit. */
export type Retention = { readonly maxAgeDays?: number; readonly maxTotalBytes?: number };

/** A session with all that belongs to it, in bytes. */
export type SizedSession = { readonly session: ListedSession; readonly bytes: number };

export type Leaving = SizedSession & { readonly because: "age" | "size" };

const dayMs = 24 * 60 * 60 * 1000;

/** Which sessions have to go, oldest first. One that is open never does. */
export function planRetention(
  sized: readonly SizedSession[],
  { maxAgeDays, maxTotalBytes }: Retention,
  now: number,
): readonly Leaving[] {
  const oldestFirst = sized.toSorted((a, b) => a.session.endedAt - b.session.endedAt);
  const leaving: Leaving[] = [];
  let left = sized.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const each of oldestFirst) {
    const isTooOld = maxAgeDays !== undefined && now - each.session.endedAt > maxAgeDays * dayMs;
    const isTooMuch = maxTotalBytes !== undefined && left > maxTotalBytes;
    if (each.session.state === "open" || !(isTooOld || isTooMuch)) continue;
    leaving.push({ ...each, because: isTooOld ? "age" : "size" });
    left -= each.bytes;
  }
  return leaving;
}

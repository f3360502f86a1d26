import { loadChecked } from "../platform/checked-file.ts";
import { collectPacks, type PackCollection } from "../platform/collect-packs.ts";
import { isAnybodyPresent } from "../platform/presence.ts";
import { packsOf, treeCacheOf, usersOf } from "./layout.ts";
import { namedInCache } from "./tree-cache.ts";

export type GarbageCollection = PackCollection & {
  /** "in use": somebody works in the project now, so nothing was touched. */
  readonly outcome: "collected" | "looked" | "in use";
};

/**
 * Drops contents that no session names any more from the store of a project. `kept` holds the hashes in the changes of all its sessions;
 * while there are any, the latest state stays as well, so that the next look has not to read the whole project again.
 */
export async function collectGarbage(
  folder: string,
  kept: ReadonlySet<string>,
  { dryRun }: { readonly dryRun: boolean },
): Promise<GarbageCollection> {
  const isFree = !isAnybodyPresent(usersOf(folder));
  const intent = dryRun || !isFree ? "look" : "collect";
  const latest = kept.size > 0 ? namedInCache(await loadChecked(treeCacheOf(folder))) : new Set<string>();
  const collection = await collectPacks(packsOf(folder), (hash) => kept.has(hash) || latest.has(hash), intent);
  const outcome = dryRun ? "looked" : isFree ? "collected" : "in use";
  return { ...collection, freedBytes: outcome === "in use" ? 0 : collection.freedBytes, outcome };
}

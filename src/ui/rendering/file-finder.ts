import { setImmediate } from "node:timers/promises";
import { listFiles } from "../../platform/list-files.ts";
import { realOrSame } from "../../platform/paths.ts";
import { searchScope } from "../../platform/search-scope.ts";
import { fuzzyScore } from "./fuzzy.ts";

export type FileFinder = {
  /** Paths relative to the root, the best first; folders end in `/`. Empty when a later question came while this one was worked on. */
  find(query: string, limit: number): Promise<string[]>;
  /** Reads the folder again, in the background. */
  refresh(): void;
};

/** Names, and what makes looking through them quick: their small letters, and which characters they have. */
type Listing = {
  readonly names: readonly string[];
  readonly lower: readonly string[];
  readonly letters: Int32Array;
  readonly isHidden: Uint8Array;
};

type Narrowed = { readonly listing: Listing; readonly query: string; readonly matches: readonly number[] };

const listingLimitMs = 20_000;
/** A listing older than this is made again while the old one still answers. */
const freshMs = 5_000;
/** Names between two pauses in which keys are heard. */
const namesPerTurn = 25_000;

/** Fuzzy search over the files that git does not ignore. The folder is read at the first question. */
export function createFileFinder(root: string, now: () => number = () => performance.now()): FileFinder {
  let listing: Promise<Listing> | undefined;
  let loadedAt = 0;
  let isLoading = false;
  let narrowed: Narrowed | undefined;
  let question = 0;
  function load(): Promise<Listing> {
    isLoading = true;
    return readNames(root)
      .then(toListing)
      .finally(() => {
        isLoading = false;
        loadedAt = now();
      });
  }
  function refresh(): void {
    if (isLoading) return;
    const old = listing;
    const next = load().catch(() => old ?? toListing([]));
    if (old === undefined) listing = next;
    else void next.then(() => (listing = next));
  }
  return {
    refresh,
    async find(query, limit) {
      const own = ++question;
      if (listing === undefined || now() - loadedAt > freshMs) refresh();
      const known = (await listing) ?? toListing([]);
      const wanted = query.replace(/^\.\//, "").replace(/\s+/g, "").toLowerCase();
      if (wanted === "") return nearest(known, limit);
      const isOn =
        narrowed?.listing === known &&
        wanted.startsWith(narrowed.query) &&
        isDotted(wanted) === isDotted(narrowed.query);
      const ranking = createRanking(known, wanted);
      const within = isOn ? narrowed?.matches : undefined;
      const count = within?.length ?? known.names.length;
      for (let from = 0; from < count; from += namesPerTurn) {
        if (from > 0) await setImmediate();
        if (own !== question) return [];
        ranking.look(within, from, Math.min(count, from + namesPerTurn));
      }
      narrowed = { listing: known, query: wanted, matches: ranking.matches };
      return ranking.best(limit);
    },
  };
}

const isDotted = (query: string) => /(?:^|\/)\.[^/]/.test(`${query} `);

async function readNames(root: string): Promise<string[]> {
  const base = realOrSame(root);
  const { paths } = await listFiles({
    scope: await searchScope(base, base),
    select: (found) => found,
    signal: new AbortController().signal,
    timeLimitMs: listingLimitMs,
  });
  return withFolders(paths);
}

function withFolders(paths: readonly string[]): string[] {
  const folders = new Set<string>();
  for (const path of paths)
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
      const folder = path.slice(0, at + 1);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  return [...folders, ...paths];
}

function toListing(names: readonly string[]): Listing {
  const lower = names.map((name) => name.toLowerCase());
  const letters = Int32Array.from(lower, lettersOf);
  const isHidden = Uint8Array.from(names, (name) => (name.startsWith(".") || name.includes("/.") ? 1 : 0));
  return { names, lower, letters, isHidden };
}

/** A bit for each of 32 groups of characters: what lacks one of the query's cannot match. */
function lettersOf(text: string): number {
  let bits = 0;
  for (let at = 0; at < text.length; at++) bits |= 1 << (text.charCodeAt(at) & 31);
  return bits;
}

function nearest({ names, isHidden }: Listing, limit: number): string[] {
  const depthOf = (name: string) => name.replace(/\/$/, "").split("/").length;
  const shown = names.filter((name, at) => !isHidden[at] && depthOf(name) <= 2);
  return shown.sort((a, b) => depthOf(a) - depthOf(b) || (a < b ? -1 : 1)).slice(0, limit);
}

/** Keeps what matches for a longer query, and the scores to pick the best by. */
function createRanking({ names, lower, letters, isHidden }: Listing, query: string) {
  const needed = lettersOf(query);
  const withHidden = isDotted(query);
  const matches: number[] = [];
  const scores: number[] = [];
  return {
    matches,
    look(within: readonly number[] | undefined, from: number, to: number) {
      for (let at = from; at < to; at++) {
        const index = within ? (within[at] as number) : at;
        if (((letters[index] as number) & needed) !== needed || (isHidden[index] && !withHidden)) continue;
        const score = fuzzyScore(names[index] as string, lower[index] as string, query);
        if (score === undefined) continue;
        matches.push(index);
        scores.push(score);
      }
    },
    best(limit: number): string[] {
      const name = (place: number) => names[matches[place] as number] as string;
      const isBetter = (a: number, b: number) =>
        (scores[b] as number) - (scores[a] as number) ||
        name(a).length - name(b).length ||
        (name(a) < name(b) ? -1 : 1);
      const top: number[] = [];
      for (let place = 0; place < matches.length; place++) {
        if (top.length === limit && isBetter(place, top[limit - 1] as number) >= 0) continue;
        let at = top.length;
        while (at > 0 && isBetter(place, top[at - 1] as number) < 0) at--;
        top.splice(at, 0, place);
        if (top.length > limit) top.pop();
      }
      return top.map(name);
    },
  };
}

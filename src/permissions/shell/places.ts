import { dirname, join } from "node:path";
import { isInside, lookOnce, realOrSame, realTargetFrom } from "../../platform/paths.ts";
import type { RepositoryPrograms } from "../../platform/repository-programs.ts";
import { matchesName } from "../match-name.ts";
import { foldName } from "../protected-paths.ts";
import type { CommandScope } from "./command-scope.ts";
import type { ShellState } from "./shell-state.ts";
import { uncertainAt, type Value } from "./value.ts";

/** One place in the file system that a word can stand for. */
export type Place = {
  readonly path: string;
  /** Set when only the folder is known: what follows is a pattern, `**` for something known only when the command runs. */
  readonly pattern?: string;
};

/** What happens to a link at the end of a path: deleting takes the link itself, writing goes through it. */
export type LinkAtEnd = "followed" | "itself";

export interface Places {
  readonly home: string;
  readonly stateFolder: string;
  /** Real places of a word, one for each folder the shell may be in; undefined when they are not known. */
  locate(value: Value, state: ShellState, link: LinkAtEnd): readonly Place[] | undefined;
  /** The writable root that holds the path. */
  rootOf(path: string): string | undefined;
  /** The machine, the home folder, or what holds them or the workspace. */
  isVital(place: Place): boolean;
  /** The home folder or what holds it, unless that is the workspace. */
  holdsHome(path: string): boolean;
  /** Scratch space that the workspace has no part in. */
  isTemporary(place: Place): boolean;
  /** This program's own settings. */
  isGuard(path: string): boolean;
  /** What git would start on the word of the repository that the folder lies in. */
  repositoryPrograms(folder: string): string | undefined;
  /** Does everything that was located still lead to where it led? */
  stillHolds(): boolean;
}

const temporaryFolders = ["/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp"];
/** Components of paths, each of which costs a look at the file system. */
const maximumLooks = 1500;
const maximumComponents = 64;

/** The folders that matter, by their real paths. */
export type Landmarks = {
  readonly roots: readonly string[];
  readonly homes: readonly string[];
  readonly all: readonly string[];
};

/** `landmarksOf` is asked once, and only when a path is looked at. */
export function createPlaces(
  scope: CommandScope,
  { landmarksOf, programsOf }: { readonly landmarksOf: LandmarkFinder; readonly programsOf: RepositoryPrograms },
): Places {
  const stateFolder = scope.stateFolder ?? `${scope.home}/.corecoder`;
  let found: Landmarks | undefined;
  const landmarks = () => (found ??= landmarksOf(scope));
  const realRoot = () => landmarks().roots[0] ?? "/";
  const rootOf = (path: string) => landmarks().roots.find((root) => isInside(path, root));
  const locator = createLocator(scope.root, realRoot);
  const repositories = new Map<string, string | undefined>();

  return {
    home: scope.home,
    stateFolder,
    locate: locator.locate,
    rootOf,
    isVital: (place) =>
      place.pattern === undefined
        ? isVitalFolder(place.path, landmarks())
        : matchesVital(place.path, place.pattern, landmarks()),
    holdsHome: (path) => landmarks().homes.some((home) => isInside(home, path)) && rootOf(path) === undefined,
    isTemporary: ({ path, pattern }) =>
      temporaryFolders.some((folder) => {
        const entry = isInside(path, folder)
          ? firstBelow(pattern === undefined ? path : join(path, pattern), folder)
          : "";
        const isShared = landmarks().all.some(
          (other) => isInside(other, folder) && firstBelow(other, folder) === entry,
        );
        return entry !== "" && !isShared;
      }),
    isGuard: (path) =>
      isInside(path, stateFolder) ||
      (foldName(path).split("/").includes(".corecoder") && landmarks().all.some((folder) => isInside(path, folder))),
    repositoryPrograms(folder) {
      // git looks upwards from where a folder really is
      const real = folder === scope.cwd ? folder : (locator.resolveOnce(folder, "followed") ?? folder);
      if (!repositories.has(real)) repositories.set(real, programsOf(real));
      return repositories.get(real);
    },
    stillHolds: () =>
      locator.stillHolds() && [...repositories].every(([folder, reason]) => programsOf(folder) === reason),
  };
}

export type LandmarkFinder = (scope: CommandScope) => Landmarks;

/** A workspace and a home folder stay where they are while the program runs, so they are followed once. */
export function createLandmarkFinder(): LandmarkFinder {
  const real = new Map<string, string>();
  const realOnce = (path: string) => {
    const known = real.get(path) ?? realOrSame(path);
    real.set(path, known);
    return known;
  };
  let last: (Landmarks & { readonly of: CommandScope }) | undefined;
  const isForLast = ({ root, home, writableRoots }: CommandScope) =>
    last?.of.root === root && last.of.home === home && last.of.writableRoots === writableRoots;
  return (scope) => {
    if (last && isForLast(scope)) return last;
    const roots = [...new Set([realOnce(scope.root), ...scope.writableRoots])];
    const homes = [...new Set([scope.home, realOnce(scope.home)])];
    last = { roots, homes, all: [...roots, ...homes], of: scope };
    return last;
  };
}

function isVitalFolder(path: string, { roots, homes }: Landmarks): boolean {
  if (path === "/" || homes.some((home) => isInside(home, path))) return true;
  if (roots.some((root) => root !== path && isInside(root, path))) return true;
  return dirname(path) === "/" && !roots.includes(path);
}

/** A pattern in the root of the machine, one for all of the home folder, or one that matches a folder on the way to them. */
function matchesVital(folder: string, pattern: string, { homes, all }: Landmarks): boolean {
  if (temporaryFolders.includes(folder)) return false;
  if (folder === "/" || (homes.includes(folder) && /^\.?\*+$/.test(pattern))) return true;
  return all.some(
    (dear) => dear !== folder && isInside(dear, folder) && matchesName(pattern, firstBelow(dear, folder)),
  );
}

/** What lies above the workspace is not looked at again: it stays where it was when the program started. */
function createLocator(root: string, realRoot: () => string) {
  const resolved = new Map<string, string | undefined>();
  const prefix = root.endsWith("/") ? root : `${root}/`;

  let looks = 0;
  let look = lookOnce();

  function resolveOnce(path: string, link: LinkAtEnd): string | undefined {
    const key = link === "itself" ? `!${path}` : path;
    const known = resolved.get(key);
    if (known !== undefined || resolved.has(key)) return known;
    const real = resolveReal(path, link);
    resolved.set(key, real);
    return real;
  }

  /** Undefined when the path cannot be opened at all (a file used as a folder, a circle of links) or takes too long to follow. */
  function resolveReal(path: string, link: LinkAtEnd): string | undefined {
    const components = path.split("/", maximumComponents + 1).length;
    looks += components;
    if (components > maximumComponents || looks > maximumLooks) return undefined;
    try {
      const slash = path.lastIndexOf("/");
      const name = path.slice(slash + 1);
      if (link === "followed" || name === "" || name === "." || name === "..") return follow(path);
      return join(follow(path.slice(0, slash + 1)), name);
    } catch {
      return undefined;
    }
  }

  const follow = (path: string) =>
    path.startsWith(prefix)
      ? realTargetFrom(realRoot(), path.slice(prefix.length), look)
      : realTargetFrom("/", path, look);

  const locate: Places["locate"] = (value, state, link) => {
    const cut = uncertainAt(value);
    const known = cut < 0 ? value.text : value.text.slice(0, value.text.lastIndexOf("/", cut - 1) + 1);
    const isUnknownName = known === "" && (cut < 0 || value.unknownAt >= 0);
    if (isUnknownName || (value.unknownAt >= 0 && cut === 0)) return undefined;
    const pattern = cut < 0 ? undefined : value.unknownAt >= 0 ? "**" : value.text.slice(known.length);
    const places: Place[] = [];
    for (const start of known.startsWith("/") ? absolute : (state.folders ?? [])) {
      const path = resolveOnce(start === "" ? known : `${start}/${known}`, cut < 0 ? link : "followed");
      if (path === undefined) return undefined;
      places.push(pattern === undefined ? { path } : { path, pattern });
    }
    return places.length > 0 ? places : undefined;
  };

  function stillHolds(): boolean {
    looks = 0;
    look = lookOnce();
    for (const [key, real] of resolved) {
      const now = key.startsWith("!") ? resolveReal(key.slice(1), "itself") : resolveReal(key, "followed");
      if (now !== real) return false;
    }
    return true;
  }

  return { locate, stillHolds, resolveOnce };
}

const absolute = [""];

/** The first name on the way from a folder to what lies in it. */
function firstBelow(path: string, folder: string): string {
  const from = folder.endsWith("/") ? folder.length : folder.length + 1;
  const end = path.indexOf("/", from);
  return end < 0 ? path.slice(from) : path.slice(from, end);
}

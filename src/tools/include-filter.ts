import { ToolError } from "../contracts/errors.ts";

/** Which files a search looks into, as the model wrote it: `*.ts`, `*.{js,jsx}, !*.test.js`, `src/**` + `/*.css`. */
export type IncludeFilter = {
  /** For ripgrep, which can leave out by name alone without overruling the ignore rules. */
  readonly names: readonly string[];
  readonly excluded: readonly string[];
  /** Does any pattern look at more than the name? */
  readonly hasFolders: boolean;
  readonly accepts: (path: string) => boolean;
};

/** Commas part patterns, unless they stand inside braces. */
function splitPatterns(include: string): string[] {
  const patterns = [""];
  let depth = 0;
  for (const character of include) {
    if (character === "{") depth++;
    if (character === "}") depth--;
    if (character === "," && depth <= 0) patterns.push("");
    else patterns[patterns.length - 1] += character;
  }
  return patterns.map((pattern) => pattern.trim().replace(/^\.\//, "")).filter((pattern) => pattern !== "");
}

function lastSegment(pattern: string): string {
  const name = pattern.slice(pattern.lastIndexOf("/") + 1);
  // A brace may hold slashes: then the name alone decides nothing.
  return name === "" || name === "**" || /[{}]/.test(pattern.slice(0, -name.length)) ? "*" : name;
}

/** Each star multiplies the ways a matcher may have to try. */
const mostStars = 5;

export async function includeFilter(include: string): Promise<IncludeFilter> {
  const patterns = splitPatterns(include);
  if (patterns.some((pattern) => (pattern.match(/\*+/g)?.length ?? 0) > mostStars)) {
    throw new ToolError(`include ${include} has too many wildcards. Use a simpler one, or narrow with path.`);
  }
  const excluded = patterns.filter((pattern) => pattern.startsWith("!")).map((pattern) => pattern.slice(1));
  const included = patterns.filter((pattern) => !pattern.startsWith("!"));
  const { default: picomatch } = await import("picomatch");
  const matcher = (list: readonly string[]) => {
    const inFolders = list.filter((pattern) => pattern.includes("/"));
    const byName = list.filter((pattern) => !pattern.includes("/"));
    const tests = [picomatch(inFolders, { dot: true }), picomatch(byName, { dot: true, basename: true })];
    return (path: string) => tests.some((test) => test(path));
  };
  const isIn = included.length === 0 ? () => true : matcher(included);
  const isOut = matcher(excluded);
  const seen = new Map<string, boolean>();
  const accepts = (path: string) => {
    const known = seen.get(path) ?? (isIn(path) && !isOut(path));
    seen.set(path, known);
    return known;
  };
  const hasFolders = patterns.some((pattern) => pattern.includes("/"));
  return { names: included.map(lastSegment), excluded, hasFolders, accepts };
}

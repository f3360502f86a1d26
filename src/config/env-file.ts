import { dirname, join } from "node:path";
import { realOrSame } from "../platform/paths.ts";
import { readIfThere } from "../platform/private-files.ts";

export type EnvFile = { readonly path: string; readonly values: ReadonlyMap<string, string> };

/** The nearest `.env` upwards from the folder, the home folder being the last place looked at. */
export function findEnvFile(cwd: string, home: string): EnvFile | undefined {
  const stop = realOrSame(home);
  for (let folder = cwd; ; folder = dirname(folder)) {
    const path = join(folder, ".env");
    const text = readIfThere(path);
    if (text !== undefined) return { path, values: parseEnvFile(text) };
    if (realOrSame(folder) === stop || folder === dirname(folder)) return undefined;
  }
}

/** `NAME=value` lines; `export`, quotes and trailing comments as shells write them. Nothing is expanded. */
export function parseEnvFile(text: string): Map<string, string> {
  const values = new Map<string, string>();
  for (const line of text.replace(/^\uFEFF/, "").split(/\r?\n/)) {
    const match = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=(.*)$/.exec(line);
    if (match?.[1] === undefined || match[2] === undefined) continue;
    values.set(match[1], unquote(match[2]));
  }
  return values;
}

function unquote(raw: string): string {
  const double = /^\s*"((?:[^"\\]|\\.)*)"/.exec(raw);
  if (double?.[1] !== undefined) return double[1].replace(/\\([n"\\$])/g, (_all, char) => (char === "n" ? "\n" : char));
  const single = /^\s*'([^']*)'/.exec(raw);
  if (single?.[1] !== undefined) return single[1];
  return raw.replace(/\s#.*$/, "").trim();
}

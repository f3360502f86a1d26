import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { stateFolderOf } from "../config/load.ts";
import { type ExitCode, exitCode, messageOf, UserError } from "../contracts/errors.ts";
import { expandPath, isInside, realOrSame } from "../platform/paths.ts";
import { readUnlessMissing, replacePrivateFile } from "../platform/private-files.ts";
import { showControl } from "../platform/terminal-text.ts";
import { chooseKey } from "../ui/ask-person.ts";
import { mergeImported, type Translated, translateSettings } from "./config-import-translate.ts";
import type { SubcommandContext } from "./subcommand.ts";

type Import = { readonly source: string; readonly target: string; readonly isOwn: boolean };

/** `corecoder config import [FILE]`: hooks and permissions of Claude Code. The files they come from are only read. */
export async function runConfigImport({
  words,
  parsed,
  cwd,
  environment,
  output,
}: SubcommandContext): Promise<ExitCode> {
  const [, file, ...more] = words;
  if (more.length > 0) throw new UserError(exitCode.usage, "Usage: corecoder config import [FILE] [--yes].");
  const stateFolder = stateFolderOf(environment);
  const known = knownImports(cwd, stateFolder);
  const imports = file === undefined ? known : [importOf(expandPath(file, cwd), { cwd, known, stateFolder })];
  const plans = imports.flatMap((one) => planFor(one) ?? []);
  if (plans.length === 0)
    throw new UserError(
      exitCode.usage,
      file === undefined
        ? `There is nothing to import: none of ${known.map(({ source }) => source).join(", ")} exists. Name a file: corecoder config import FILE.`
        : `There is no file ${file}. Check the name.`,
    );
  for (const plan of plans) output.out(describePlan(plan));
  const wanted = plans.filter(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after));
  if (wanted.length === 0) {
    output.out("Nothing is to be written.\n");
    return exitCode.done;
  }
  if (!parsed.run.yes && !(await mayWrite())) {
    output.out("Nothing was written. `corecoder config import --yes` writes it.\n");
    return exitCode.done;
  }
  for (const { target, after } of wanted) {
    write(target, `${JSON.stringify(after, null, 2)}\n`);
    output.out(`Wrote ${showControl(target)}.\n`);
  }
  if (wanted.some(({ isOwn }) => !isOwn))
    output.out("Hooks and allowing rules of a project count once the folder is trusted: corecoder trust.\n");
  return exitCode.done;
}

/** For its owner alone, since settings may hold keys; a link stays one. */
function write(target: string, text: string): void {
  try {
    replacePrivateFile(realOrSame(target), text);
  } catch (error) {
    throw new UserError(exitCode.config, `${target} cannot be written: ${messageOf(error)}. Mend its permissions.`);
  }
}

async function mayWrite(): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  return (await chooseKey("Write this?  y yes  n no (default) ", "yn", "n")) === "y";
}

function knownImports(cwd: string, stateFolder: string): readonly Import[] {
  const own = {
    source: join(homedir(), ".claude/settings.json"),
    target: join(stateFolder, "settings.json"),
    isOwn: true,
  };
  const project = ["settings.json", "settings.local.json"].map((name) => ({
    source: join(cwd, ".claude", name),
    target: join(cwd, ".corecoder", name),
    isOwn: false,
  }));
  // in the home folder the project's file is the person's own
  return [...project.filter(({ source }) => realOrSame(source) !== realOrSame(own.source)), own];
}

type ImportPlaces = { readonly cwd: string; readonly known: readonly Import[]; readonly stateFolder: string };

/** A file from elsewhere goes where its like would: local settings to the local ones, the home folder's to the person's own. */
function importOf(source: string, { cwd, known, stateFolder }: ImportPlaces): Import {
  const same = known.find((one) => realOrSame(one.source) === realOrSame(source));
  if (same) return { ...same, source };
  const isOwn = isInside(realOrSame(dirname(source)), realOrSame(join(homedir(), ".claude")));
  if (isOwn) return { source, target: join(stateFolder, "settings.json"), isOwn };
  const name = source.endsWith(".local.json") ? "settings.local.json" : "settings.json";
  return { source, target: join(cwd, ".corecoder", name), isOwn };
}

type Plan = Import & { readonly translated: Translated; readonly before: unknown; readonly after: unknown };

function planFor(one: Import): Plan | undefined {
  const source = readObject(one.source);
  if (source === undefined) return undefined;
  const before = readObject(one.target) ?? {};
  const translated = translateSettings(source, one);
  return { ...one, translated, before, after: mergeImported(before, translated) };
}

function readObject(path: string): Record<string, unknown> | undefined {
  let problem = "it must hold a JSON object";
  try {
    const text = readUnlessMissing(path);
    if (text === undefined) return undefined;
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, "").trim() || "{}");
    if (value !== null && typeof value === "object" && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch (error) {
    // the parser quotes the text around the mistake, which may be a key
    problem = messageOf(error).replace(/, (\.\.\.)?".*/s, "");
  }
  throw new UserError(exitCode.config, `${path} cannot be read: ${problem}. Mend it or move it away.`);
}

function describePlan({ source, target, translated: { taken, left } }: Plan): string {
  const lines = [
    `${source} → ${target}`,
    ...(taken.length > 0 ? ["  taken over:", ...taken.map((line) => `    ${line}`)] : ["  nothing to take over"]),
    ...(left.length > 0 ? ["  left out:", ...left.map((line) => `    ${line}`)] : []),
  ];
  return `${lines.map(showControl).join("\n")}\n`;
}

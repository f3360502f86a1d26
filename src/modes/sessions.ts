import { type ExitCode, exitCode, messageOf, UserError } from "../contracts/errors.ts";
import type { ReadableSession } from "../contracts/saved-session.ts";
import { expandPath } from "../platform/paths.ts";
import { writePage } from "../platform/write-page.ts";
import { locateSession } from "../session/locate-session.ts";
import { describeSession, exportJson, isoTime, maskSession } from "../session/saved/export-session.ts";
import { parseQuery } from "../session/search/search-query.ts";
import { searchSessions } from "../session/search/search-sessions.ts";
import { foundText } from "../ui/session-found.ts";
import { sessionMarkdown } from "../ui/session-markdown.ts";
import { sessionTable } from "../ui/session-table.ts";
import { sessionText } from "../ui/session-text.ts";
import { openSavedSessions } from "./saved-sessions.ts";
import type { SubcommandContext } from "./subcommand.ts";

const usage = `Usage: corecoder sessions list [--all] | show ID [--verbose] | search QUERY | export ID [--format md|json|html] [-o FILE]
       | doctor [ID] [--repair] | prune [--dry-run]; --json for machines. ID: an id, the beginning of one, or a name.`;

type Action = (context: SubcommandContext, words: readonly string[]) => Promise<ExitCode>;

const actions: Readonly<
  Record<string, { readonly words: readonly [least: number, most: number]; readonly run: Action }>
> = {
  list: { words: [0, 0], run: list },
  show: { words: [1, 1], run: show },
  search: { words: [1, Number.POSITIVE_INFINITY], run: search },
  export: { words: [1, 1], run: exportOne },
  doctor: { words: [0, 1], run: async (...given) => (await import("./session-care.ts")).examineSessions(...given) },
  prune: { words: [0, 0], run: async (context) => (await import("./session-care.ts")).pruneSessions(context) },
};

export function runSessions(context: SubcommandContext): Promise<ExitCode> {
  const [name = "list", ...words] = context.words;
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (action === undefined || words.length < action.words[0] || words.length > action.words[1])
    throw new UserError(exitCode.usage, usage);
  return action.run(context, words);
}

async function list(context: SubcommandContext): Promise<ExitCode> {
  const { run } = context.parsed;
  const saved = openSavedSessions(context);
  const { sessions, scan } = await saved.index(run.all ? "everywhere" : "here");
  for (const folder of scan.unreadable) context.output.err(`${folder} cannot be read. Check its permissions.\n`);
  if (run.json)
    context.output.out(
      `${JSON.stringify(
        sessions.map((each) => ({ ...describeSession(each), path: each.path })),
        null,
        2,
      )}\n`,
    );
  else if (sessions.length > 0)
    context.output.out(
      sessionTable(sessions, { width: saved.width, now: Date.now(), output: saved.out, isGrouped: run.all }),
    );
  else
    context.output.err(
      run.all
        ? `There are no saved sessions in ${saved.stateFolder} yet.\n`
        : "There are no saved sessions of this folder yet. `corecoder sessions list --all` shows those of other folders.\n",
    );
  return exitCode.done;
}

/** How many sessions a search shows. */
const mostFound = 20;

async function search(context: SubcommandContext, words: readonly string[]): Promise<ExitCode> {
  const query = words.join(" ");
  parseQuery(query);
  const saved = openSavedSessions(context);
  const index = await saved.index("everywhere");
  const { onRead, finish } = saved.progress("sessions indexed");
  const { stateFolder } = saved;
  const { files } = index.scan;
  const answer = searchSessions({ stateFolder, files, query, limit: mostFound, onRead, sessionAt: index.sessionAt });
  finish();
  if (context.parsed.run.json) {
    const found = answer.found.map(({ session, score, hits }) => ({
      session: { ...describeSession(session), path: session.path },
      score: Number(score.toFixed(3)),
      hits: hits.map((hit) => ({ ...hit, tool: hit.tool ?? null, time: isoTime(hit.time) })),
    }));
    context.output.out(`${JSON.stringify({ query, found, hasMore: answer.hasMore }, null, 2)}\n`);
  } else if (answer.found.length > 0) context.output.out(foundText(answer, { output: saved.out, width: saved.width }));
  else context.output.err(`Nothing was found for ${query} in ${index.count} sessions.\n`);
  return exitCode.done;
}

async function show(context: SubcommandContext, [wanted = ""]: readonly string[]): Promise<ExitCode> {
  const saved = openSavedSessions(context);
  const { json, verbose } = context.parsed.run;
  const session = await readOne(saved, wanted, { diffs: json || verbose ? "with" : "without" });
  if (json) context.output.out(`${JSON.stringify(exportJson(session), null, 2)}\n`);
  else {
    const options = {
      output: saved.out,
      width: saved.width,
      isVerbose: verbose,
    };
    for (const piece of sessionText(session, options)) context.output.out(piece);
  }
  return exitCode.done;
}

async function readOne(
  saved: ReturnType<typeof openSavedSessions>,
  wanted: string,
  options: { readonly diffs: "with" | "without" },
): Promise<ReadableSession> {
  const path = locateSession(wanted, saved.stateFolder);
  try {
    return await saved.read(path, options);
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(
      exitCode.usage,
      `The session log ${path} cannot be read: ${messageOf(error)}. Check its permissions, or choose another session.`,
    );
  }
}

async function exportOne(context: SubcommandContext, [wanted = ""]: readonly string[]): Promise<ExitCode> {
  const { run } = context.parsed;
  const saved = openSavedSessions(context);
  const file =
    run.outputFile === undefined || run.outputFile === "-" ? undefined : expandPath(run.outputFile, context.cwd);
  const text = await render(maskSession(await readOne(saved, wanted, { diffs: "with" })), run.format ?? formatOf(file));
  if (file === undefined) context.output.out(text);
  else {
    writePage(file, text);
    context.output.err(`The session is in ${file}.\n`);
  }
  return exitCode.done;
}

type Format = "md" | "json" | "html";

function formatOf(file: string | undefined): Format {
  const ending = /\.(json|html?)$/i.exec(file ?? "")?.[1]?.toLowerCase();
  return ending === undefined ? "md" : ending === "json" ? "json" : "html";
}

async function render(session: ReadableSession, format: Format): Promise<string> {
  if (format === "json") return `${JSON.stringify(exportJson(session), null, 2)}\n`;
  if (format === "md") return sessionMarkdown(session);
  return (await import("../ui/session-page.ts")).sessionPage(session);
}

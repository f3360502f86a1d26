import { basename } from "node:path";
import { loadSettings } from "../config/load.ts";
import { compareSession, totalsOf } from "../context/compare.ts";
import { loadTrace } from "../context/load-trace.ts";
import { policies } from "../context/policies.ts";
import { priceRows } from "../context/price-rows.ts";
import { rebuildWindow } from "../context/rebuild-window.ts";
import type { TimedMessage } from "../context/replay.ts";
import type { ComparedSession, Comparison } from "../contracts/comparison.ts";
import type { PriceRow } from "../contracts/context.ts";
import { type ExitCode, exitCode, UserError } from "../contracts/errors.ts";
import { expandPath } from "../platform/paths.ts";
import { readJsonFile } from "../platform/read-json-file.ts";
import { writePage } from "../platform/write-page.ts";
import { chooseVendor } from "../providers/choose-vendor.ts";
import { windowOf } from "../providers/model-limits.ts";
import { readSession, type SavedSession } from "../session/read-session.ts";
import { comparePage } from "../ui/compare-page.ts";
import { compareTable } from "../ui/compare-table.ts";
import { progressBar } from "../ui/progress-bar.ts";
import { chooseTheme, type ThemeWish } from "../ui/rendering/theme.ts";
import { windowReport } from "../ui/window-report.ts";
import { choiceInput } from "./resolve-model.ts";
import type { SubcommandContext } from "./subcommand.ts";
import { themeFor } from "./terminal-facts.ts";

/** System prompt and tools of a recorded session, which are not part of its messages. */
const assumedFixedTokens = 6_000;
const comparedWindow = 200_000;
const unknownWindow = 128_000;

export function runContext(context: SubcommandContext): Promise<ExitCode> {
  const [action, ...targets] = context.words;
  if (action === "compare" && targets.length > 0) return compare(context, targets);
  if (action === "show" && targets.length === 1) return show(context, targets[0] as string);
  throw new UserError(
    exitCode.usage,
    "Usage: corecoder context show ID, or corecoder context compare ID|FILE… [--prices NAME] [--max-context N] [--html FILE] [--json].",
  );
}

async function show({ parsed, cwd, environment, output }: SubcommandContext, target: string): Promise<ExitCode> {
  if (parsed.run.html !== undefined)
    throw new UserError(exitCode.usage, "--html draws comparisons: corecoder context compare ID --html FILE.");
  const loaded = loadSettings({ cwd, environment, options: parsed.settings });
  const { settings, stateFolder } = loaded;
  const prices = parsed.run.prices === undefined ? undefined : priceRow(parsed.run.prices);
  const session = readSession(sessionName(target, cwd), stateFolder);
  const choice = chooseVendor({ ...choiceInput(loaded, undefined), model: session.model });
  const contents = rebuildWindow({
    steps: session.record.steps,
    prefix: prefixText(session),
    policy: policies[settings.contextPolicy ?? "ledger"],
    windowTokens: settings.maxContext ?? windowOf(choice) ?? unknownWindow,
    ...(prices ? { prices } : {}),
  });
  const receipts = session.record.steps.flatMap((step) =>
    step.type === "edits" && step.receipt ? [{ time: step.time ?? 0, receipt: step.receipt }] : [],
  );
  const { messages } = session.record;
  const { id, cwd: folder, model } = session;
  const damagedLines = session.damage.length;
  const calls = messages.filter(({ role }) => role === "assistant").length;
  const shown = { id, cwd: folder, model, calls, messages: messages.length, damagedLines, contents, receipts };
  output.out(
    parsed.run.json ? `${JSON.stringify(shown, null, 2)}\n` : windowReport(shown, drawing(environment, settings.theme)),
  );
  return exitCode.done;
}

/** Colours are for a terminal: a file or a pipe gets none. */
function drawing(environment: SubcommandContext["environment"], wish: ThemeWish | undefined) {
  const theme = process.stdout.isTTY
    ? themeFor(environment, wish).theme
    : chooseTheme({ wish: "ansi", colours: "none" });
  return { theme, width: process.stdout.columns || 80 };
}

async function compare(context: SubcommandContext, targets: readonly string[]): Promise<ExitCode> {
  const { parsed, cwd, environment, output } = context;
  const { settings, stateFolder } = loadSettings({ cwd, environment, options: parsed.settings });
  const prices = parsed.run.prices ?? "sonnet-5.5";
  const row = priceRow(prices);
  const windowTokens = settings.maxContext ?? comparedWindow;
  const isTerminal = process.stderr.isTTY === true;
  const progress = progressBar({ total: targets.length, isTerminal, write: output.err });
  const sessions: ComparedSession[] = [];
  for (const target of targets) {
    progress.step(basename(target));
    const { messages, ...about } = recordingOf(target, { cwd, stateFolder });
    const reports = await compareSession({ messages, prices: row, windowTokens, fixedTokens: about.fixedTokens });
    sessions.push({ ...about, reports });
  }
  progress.finish();
  const totals = sessions.length > 1 ? totalsOf(sessions.map(({ reports }) => reports)) : undefined;
  const comparison: Comparison = { prices, windowTokens, sessions, ...(totals ? { totals } : {}) };
  output.out(parsed.run.json ? `${JSON.stringify(comparison)}\n` : compareTable(comparison));
  if (parsed.run.html !== undefined) {
    const path = expandPath(parsed.run.html, cwd);
    writePage(path, comparePage(comparison));
    output.err(`The page is in ${path}.\n`);
  }
  return exitCode.done;
}

function priceRow(name: string): PriceRow {
  const row = Object.hasOwn(priceRows, name) ? priceRows[name] : undefined;
  if (row) return row;
  throw new UserError(
    exitCode.usage,
    `--prices: there is no row ${JSON.stringify(name)}. There are: ${Object.keys(priceRows).join(", ")}.`,
  );
}

type Recording = Omit<ComparedSession, "reports"> & { readonly messages: readonly TimedMessage[] };

/** A file that another agent recorded, or a session of ours. */
function recordingOf(target: string, { cwd, stateFolder }: { cwd: string; stateFolder: string }): Recording {
  if (/\.json(\.gz)?$/.test(target)) {
    const messages = loadTrace(readJsonFile(expandPath(target, cwd)), target);
    return { name: basename(target), model: undefined, damagedLines: 0, fixedTokens: assumedFixedTokens, messages };
  }
  const session = readSession(sessionName(target, cwd), stateFolder);
  const messages = session.record.steps.flatMap((step) =>
    step.type === "message" ? [{ message: step.message, time: step.time ?? 0 }] : [],
  );
  if (!messages.some(({ message }) => message.role === "assistant"))
    throw new UserError(
      exitCode.usage,
      `The session ${session.id} holds no answer of a model: there is nothing to compare. Choose another session.`,
    );
  const { id: name, model } = session;
  const damagedLines = session.damage.length;
  // as the replay counts: three characters a token
  const fixedTokens = session.prefix ? Math.round(prefixText(session).length / 3) : assumedFixedTokens;
  return { name, model, damagedLines, fixedTokens, messages };
}

function sessionName(target: string, cwd: string): string {
  return target.endsWith(".jsonl") ? expandPath(target, cwd) : target;
}

function prefixText({ prefix }: SavedSession): string {
  return prefix ? `${prefix.system}${JSON.stringify(prefix.tools)}` : "";
}

// `npm run bench:context`: real sessions played again under every context policy, at three vendors' prices. Prints the tables and writes
// them to bench/context-results.md.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const traces = join(root, "../shared/traces");
const target = join(root, "bench/context-results.md");
const rows = ["sonnet-5.5", "gpt-6.1-sol", "deepseek-v4-flash"];

const files = existsSync(traces) ? readdirSync(traces).filter((name) => name.endsWith(".json.gz")) : [];
if (files.length === 0) {
  console.log(`Skipped: there are no recorded sessions in ${relative(root, traces)}.`);
  process.exit(0);
}

/** The program itself does the work; its progress bar goes straight to the terminal. */
function compare(prices) {
  console.error(`${files.length} sessions at the prices of ${prices}`);
  const args = ["context", "compare", "--json", "--prices", prices, "--max-context", "200000"];
  const { status, stdout } = spawnSync(
    process.execPath,
    [join(root, "dist/cli.js"), ...args, ...files.map((name) => join(traces, name))],
    { stdio: ["ignore", "pipe", "inherit"], maxBuffer: 2 ** 30, encoding: "utf8" },
  );
  if (status !== 0) process.exit(status ?? 1);
  return JSON.parse(stdout);
}

const percent = (share) => (share === undefined ? "–" : `${(100 * share).toFixed(2)} %`);
const million = (tokens) => `${(tokens / 1e6).toFixed(2)} M`;
const thousand = (tokens) => `${Math.round(tokens / 1000)}k`;

const columns = [
  ["policy", ({ policy }) => policy],
  ["cost", ({ costUsd }) => `$${costUsd.toFixed(2)}`],
  ["vs none", ({ costVsNone }) => costVsNone.toFixed(3)],
  ["median", ({ medianCostVsNone }) => medianCostVsNone.toFixed(3)],
  ["cache reads", ({ cacheReadShare }) => percent(cacheReadShare)],
  ["rewritten", ({ rewrittenTokens }) => million(rewrittenTokens)],
  ["summaries", ({ summaries }) => String(summaries)],
  ["cuts", ({ batches }) => String(batches)],
  ["mean", ({ meanTokens }) => thousand(meanTokens)],
  ["peak", ({ peakTokens }) => thousand(peakTokens)],
  ["too long", ({ callsOverWindow }) => String(callsOverWindow)],
  ["direct", ({ direct }) => percent(direct)],
  ["one call", ({ oneCall }) => percent(oneCall)],
  ["lost", ({ lost }) => percent(lost)],
  ["edit lines", ({ editLinesDirect }) => percent(editLinesDirect)],
  ["after a cut", ({ directAfterCut }) => percent(directAfterCut)],
];

/** Markdown that is also readable as it is. */
function table(head, body) {
  const cells = [head, ...body];
  const widths = head.map((_, index) => Math.max(3, ...cells.map((line) => line[index].length)));
  const line = (texts) =>
    `| ${texts.map((text, index) => (index === 0 ? text.padEnd(widths[0]) : text.padStart(widths[index]))).join(" | ")} |`;
  const rule = `| ${widths.map((width, index) => (index === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`)).join(" | ")} |`;
  return [line(head), rule, ...body.map(line)].join("\n");
}

const totalsTable = ({ totals }) =>
  table(
    columns.map(([title]) => title),
    totals.map((row) => columns.map(([, text]) => text(row))),
  );

/** Cost against keeping everything, session by session: an average hides the ones that got dearer. */
function sessionsTable({ sessions, totals }) {
  const policies = totals.map(({ policy }) => policy);
  const body = sessions.map(({ name, reports }) => [
    name.replace(".json.gz", ""),
    String(reports[0].calls),
    ...policies.map((policy) => reports.find((report) => report.policy === policy).costVsNone.toFixed(3)),
  ]);
  return table(["session", "calls", ...policies], body);
}

const rivals = ["none", "three-layer", "late-summary"];
const cheapest = (reports) =>
  Math.min(...reports.filter(({ policy }) => rivals.includes(policy)).map(({ costUsd }) => costUsd));
const ratioToCheapest = (reports) => reports.find(({ policy }) => policy === "ledger").costUsd / cheapest(reports);

/** The default must not be dearer than doing less: in sum, and on the session where it does worst. */
function rivalsRow({ prices, sessions, totals }) {
  const worst = sessions.toSorted((a, b) => ratioToCheapest(b.reports) - ratioToCheapest(a.reports))[0];
  return [
    prices,
    ratioToCheapest(totals).toFixed(3),
    ratioToCheapest(worst.reports).toFixed(3),
    worst.name.replace(".json.gz", ""),
  ];
}

const results = rows.map((prices) => ({ prices, ...compare(prices) }));
const sections = results.map((result) => `## Prices of ${result.prices}\n\n${totalsTable(result)}`);
sections.push(
  `## \`ledger\` against the cheapest of ${rivals.join(", ")}\n\n${table(["prices", "all sessions", "worst session", "which"], results.map(rivalsRow))}`,
);
for (const section of sections) console.log(`${section}\n`);

const [first] = results;
writeFileSync(
  target,
  `<!-- Written by npm run bench:context. Do not edit. -->
# Context policies on ${files.length} recorded sessions

${first.totals[0].calls} model calls of real coding agents, played again call by call under every policy in a window of 200,000 tokens (three characters
each), system prompt and tools 6,000. A deterministic extract stands in for a model's summary. Cost counts cache reads, cache writes,
output, summary calls and what had to be fetched again; _vs none_ is the sum over all sessions against keeping everything, _median_ the middle
one of the sessions' own ratios. _Rewritten_: tokens that had been sent before and were paid as new again. _Too long_: calls over the window,
which a vendor would have refused. _Direct_: what a later call used was in the window; _one call_: it was one call away; _lost_: neither; _edit
lines_: direct, of the old lines of edits alone; _after a cut_: direct in the 20 calls that follow a cut.

${sections.join("\n\n")}

## Cost against none, by session

Prices of ${first.prices}.

${sessionsTable(first)}
`,
);
console.error(`Written to ${relative(root, target)}.`);

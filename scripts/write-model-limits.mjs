// Writes src/providers/model-limits-data.ts from the model lists of @earendil-works/pi-ai (MIT), which are made from models.dev and the vendors'
// own lists. Fetches the package with npm, so it needs the network: node scripts/write-model-limits.mjs [VERSION]
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const target = join(root, "src/providers/model-limits-data.ts");
const source = "@earendil-works/pi-ai";

/** Lists, best first, and the names that are taken from each: those of the maker's own models. */
const lists = [
  ["openai", /^(gpt-|o\d)/],
  ["anthropic", /^claude-/],
  ["google", /^(gemini-|gemma-)/],
  ["deepseek", /^deepseek-/],
  ["xai", /^grok-/],
  ["mistral", /^(mistral-|ministral-|codestral|devstral|magistral|open-mistral|pixtral)/],
  ["moonshotai", /^(kimi-|moonshot-)/],
  ["zai", /^glm-/],
  ["qwen-token-plan", /^(qwen|deepseek-|glm-|kimi-)/i],
  ["openrouter", /^(qwen|meta-llama|minimax)\//],
  ["groq", /^(openai\/gpt-oss|llama-)/],
];

const folder = mkdtempSync(join(tmpdir(), "model-limits-"));
const run = (program, ...words) => execFileSync(program, words, { cwd: folder, stdio: ["ignore", "pipe", "ignore"] });

try {
  run("npm", "pack", `${source}@${process.argv[2] ?? "latest"}`);
  run(
    "tar",
    "xzf",
    readdirSync(folder).find((name) => name.endsWith(".tgz")),
  );
  const { version, license } = JSON.parse(readFileSync(join(folder, "package/package.json"), "utf8"));
  const rows = withoutRepetitions(collect());
  writeFileSync(target, page(rows, { version, license }));
  console.log(`${rows.length} rows from ${source} ${version}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
execFileSync("npx", ["biome", "check", "--write", target], { cwd: root, stdio: "ignore" });

function modelsIn(list) {
  const apis = JSON.parse(readFileSync(join(folder, `package/dist/providers/data/${list}.json`), "utf8"));
  return Object.values(apis)
    .flatMap((models) => Object.values(models))
    .filter(({ type }) => type === "chat");
}

function collect() {
  const resold = new Map(modelsIn("openrouter").map((model) => [model.id, model]));
  const rows = new Map();
  for (const [list, names] of lists) {
    for (const model of modelsIn(list).filter(({ id }) => names.test(id))) {
      const name = model.id.split("/").at(-1).replace(/:.*$/, "").toLowerCase();
      if (!rows.has(name)) rows.set(name, [name, ...figures(list, model, resold)]);
    }
  }
  return [...rows.values()];
}

function figures(list, model, resold) {
  const { input, output, cacheRead, cacheWrite, tiers = [] } = model.cost;
  const tier = tiers[0]?.inputTokensAbove ?? 0;
  const abilities = `${model.input.includes("image") ? "i" : ""}${model.reasoning ? "r" : ""}t`;
  const cache = cacheRead > 0 ? [cacheRead, ...(cacheWrite > 0 ? [cacheWrite] : [])] : [];
  const price = input > 0 ? [input, output, ...cache] : [];
  const window = promptWindow(list, model, resold);
  return [window, Math.min(model.maxTokens, window), abilities, tier, price];
}

/** The list ends OpenAI's windows where they become dearer; and OpenAI counts the answer apart. */
function promptWindow(list, { id, contextWindow, maxTokens, reasoning, cost }, resold) {
  if (list !== "openai" || !reasoning) return contextWindow;
  const isCapped = cost.tiers?.[0]?.inputTokensAbove === contextWindow;
  const whole = isCapped ? (resold.get(`openai/${id}`)?.contextWindow ?? 1_050_000) : contextWindow;
  return whole >= 400_000 ? whole - maxTokens : whole;
}

/** A longer name that says nothing new is found by the shorter one. */
function withoutRepetitions(rows) {
  const plain = (name) => name.replaceAll(".", "-");
  const kept = [];
  for (const row of rows.toSorted((a, b) => a[0].length - b[0].length)) {
    const nearest = kept.filter(([name]) => plain(row[0]).startsWith(`${plain(name)}-`)).at(-1);
    if (nearest === undefined || JSON.stringify(nearest.slice(1)) !== JSON.stringify(row.slice(1))) kept.push(row);
  }
  return kept.toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function page(rows, { version, license }) {
  const today = new Date().toISOString().slice(0, 10);
  const trimmed = rows.map((row) => (row[5].length > 0 ? row : row[4] > 0 ? row.slice(0, 5) : row.slice(0, 4)));
  return `/* Written by scripts/write-model-limits.mjs on ${today} from ${source} ${version} (${license}). Do not edit; what it does not hold is in model-families.ts. */
import type { LimitsRow } from "./model-families.ts";

export const limitsTakenOn = "${today}";
export const limitsSource = "${source} ${version}";

export const limitsRows: readonly LimitsRow[] = [
${trimmed.map((row) => `  ${JSON.stringify(row)},`).join("\n")}
];
`;
}

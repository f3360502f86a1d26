// The rules of ARCHITECTURE.md that a linter does not know: the star, no cycles, and what may touch the operating system.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const src = join(root, "src");

/** Folders that everybody may import. */
const centre = ["contracts", "platform"];
/** Files and folders that plug the others together. */
const composition = ["modes", ""];
/** A folder that is allowed one more neighbour, and why. */
const extraEdges = {
  demo: ["testing"], // the model's part of the demo is the scripted model that users test with
};

/** Modules only some places may import. */
const reserved = [
  { modules: /^node:(fs|fs\/promises|child_process|worker_threads)$/, folders: ["platform"] },
  {
    modules: /^node:(http|https|http2|tls)$/,
    files: [
      "providers/http-stream.ts",
      "mcp/login-callback.ts",
      "providers/network/http2-stream.ts",
      "web/fetch-page.ts",
      "providers/network/proxy-transport.ts",
    ],
    folders: ["testing"],
    typesEverywhere: true,
  },
];

/** Words only some places may use. */
const words = [
  { pattern: /\bprocess\.env\b/, files: ["start.ts"], folders: ["config"] },
  { pattern: /\bprocess\.exit\(/, files: ["start.ts"], folders: [] },
  { pattern: /\bconsole\./, files: [], folders: ["ui"] },
];

const problems = [];
const imports = new Map();

function* sourceFiles(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* sourceFiles(path);
    else if (entry.name.endsWith(".ts") && !entry.name.endsWith(".test.ts")) yield path;
  }
}

const folderOf = (file) => (file.includes("/") ? file.split("/")[0] : "");

for (const path of sourceFiles(src)) {
  const file = relative(src, path);
  const folder = folderOf(file);
  const text = readFileSync(path, "utf8");
  const targets = [];
  for (const [, isType, name] of text.matchAll(
    /^(?:import|export)\s+(type\s)?(?:[^;"'()]*?\sfrom\s+)?["']([^"']+)["'];?$/gm,
  )) {
    check(file, folder, name, isType !== undefined);
    if (name.startsWith(".")) targets.push(normalize(join(dirname(file), name)));
  }
  for (const [, name] of text.matchAll(/\bimport\(\s*["']([^"']+)["']\s*\)/g)) {
    check(file, folder, name, false);
  }
  imports.set(file, targets);
  const code = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/\/\/.*$/gm, "");
  for (const { pattern, files, folders } of words) {
    if (pattern.test(code) && !files.includes(file) && !folders.includes(folder))
      problems.push(`${file} uses ${pattern.source}, which belongs to ${[...files, ...folders].join(", ")}`);
  }
}

function check(file, folder, name, isType) {
  if (!name.startsWith(".")) {
    const rule = reserved.find(({ modules }) => modules.test(name));
    const allowed =
      !rule || rule.folders?.includes(folder) || rule.files?.includes(file) || (isType && rule.typesEverywhere);
    if (!allowed)
      problems.push(`${file} imports ${name}, which belongs to ${[...(rule.files ?? []), ...rule.folders].join(", ")}`);
    return;
  }
  const target = normalize(join(dirname(file), name));
  const targetFolder = folderOf(target);
  if (
    composition.includes(folder) ||
    targetFolder === folder ||
    centre.includes(targetFolder) ||
    extraEdges[folder]?.includes(targetFolder)
  ) {
    if (folder === "contracts" && targetFolder !== "contracts")
      problems.push(`${file} imports ${target}: contracts know nobody`);
    if (folder === "platform" && !centre.includes(targetFolder))
      problems.push(`${file} imports ${target}: platform knows contracts alone`);
    return;
  }
  problems.push(`${file} imports ${target}: a feature folder imports contracts, platform and itself, never a sibling`);
}

const done = new Set();
function findCycle(file, trail) {
  if (trail.includes(file)) {
    problems.push(`cycle: ${[...trail.slice(trail.indexOf(file)), file].join(" → ")}`);
    return;
  }
  if (done.has(file)) return;
  for (const target of imports.get(file) ?? []) findCycle(target, [...trail, file]);
  done.add(file);
}
for (const file of imports.keys()) findCycle(file, []);

for (const problem of problems) console.error(problem);
process.exit(problems.length > 0 ? 1 : 0);

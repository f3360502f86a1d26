// Makes dist/: the program as one CommonJS file with compiled code beside it (what starts fastest on Node 20), the library as split
// ES modules with type declarations, and the licences of what is bundled.
import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
/** Built beside and swapped in at the end: a program that is being used never misses its files. */
const dist = join(root, "dist-next");
const { version, dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  target: "node20",
  define: { __VERSION__: JSON.stringify(version) },
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
};

/** Large and rarely needed: each is a file of its own, kept out of the one that every start reads. */
const apart = {
  "@pydantic/genai-prices": "prices",
  "highlight.js/lib/common": "highlight",
  yaml: "yaml",
  turndown: "turndown",
  "@modelcontextprotocol/client": "mcp-client",
  "@agentclientprotocol/sdk": "acp",
};
const keepApart = {
  name: "keep-apart",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^[@a-z]/ }, ({ path }) =>
      Object.hasOwn(apart, path) ? { path: `./${apart[path]}.cjs`, external: true } : undefined,
    ),
};

rmSync(dist, { recursive: true, force: true });
mkdirSync(join(dist, "lib"), { recursive: true });
writeFileSync(join(dist, "package.json"), '{ "type": "commonjs" }\n');
writeFileSync(join(dist, "lib/package.json"), '{ "type": "module" }\n');

const program = { ...common, format: "cjs", minify: true, supported: { "dynamic-import": false } };
const results = await Promise.all([
  build({
    ...program,
    entryPoints: { core: "src/main.ts" },
    outdir: dist,
    outExtension: { ".js": ".cjs" },
    define: { ...common.define, "import.meta.url": "__filename" },
    external: Object.keys(dependencies),
    plugins: [keepApart],
  }),
  build({
    ...program,
    entryPoints: { "undo-worker": "src/undo/undo-worker.ts" },
    outdir: dist,
    outExtension: { ".js": ".cjs" },
  }),
  ...Object.entries(apart).map(([name, file]) =>
    build({
      ...program,
      stdin: { contents: `module.exports = require(${JSON.stringify(name)})`, resolveDir: root },
      outfile: join(dist, `${file}.cjs`),
      define: { ...common.define, "import.meta.url": "__filename" },
    }),
  ),
  build({
    ...common,
    entryPoints: { index: "src/index.ts", testing: "src/testing/index.ts" },
    outdir: join(dist, "lib"),
    format: "esm",
    splitting: true,
    chunkNames: "chunks/[name]-[hash]",
    external: Object.keys(dependencies),
  }),
]);
writeAsAscii(join(dist, "core.cjs"));
// The compiled code of one build must never run another: it is found by this name.
const buildId = createHash("sha256")
  .update(readFileSync(join(dist, "core.cjs")))
  .digest("hex")
  .slice(0, 12);
await build({
  ...program,
  entryPoints: { cli: "src/cli.ts" },
  outdir: dist,
  define: { ...common.define, __BUILD__: JSON.stringify(buildId) },
});
chmodSync(join(dist, "cli.js"), 0o755);
execFileSync(join(root, "node_modules/.bin/tsc"), ["-p", "tsconfig.types.json", "--outDir", join(dist, "lib/types")], {
  cwd: root,
  stdio: "inherit",
});
await warmUp();
writeFileSync(
  join(dist, "LICENSES.txt"),
  bundledLicences(results.flatMap(({ metafile }) => Object.keys(metafile.inputs))),
);
rmSync(join(root, "dist"), { recursive: true, force: true });
renameSync(dist, join(root, "dist"));
if (process.argv.includes("--sizes")) for (const { metafile } of results) printSizes(metafile);

/** The loader reads one byte a character. What esbuild leaves unescaped are regular expressions, where an escape means the same. */
function writeAsAscii(file) {
  const escaped = (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  writeFileSync(file, readFileSync(file, "utf8").replace(/[\u0080-\uffff]/g, escaped));
}

/** One real run, so that the functions of an ordinary run are in the compiled code that is shipped. */
async function warmUp() {
  const state = join(dist, ".warm-up");
  mkdirSync(state);
  writeFileSync(join(state, "a.txt"), "one\ntwo\n");
  const { startScriptedModel, call, text } = await import(pathToFileURL(join(dist, "lib/testing.js")).href);
  const model = await startScriptedModel([
    call("read_file", { file_path: "a.txt" }),
    call("edit_file", { file_path: "a.txt", old_string: "two", new_string: "2" }),
    call("bash", { command: "ls" }),
    text("Done."),
  ]);
  const { PATH } = process.env;
  const env = { PATH, HOME: state, CORECODER_HOME: state, OPENAI_API_KEY: "any", OPENAI_BASE_URL: model.url };
  await promisify(execFile)(process.execPath, [join(dist, "cli.js"), "-p", "go"], { cwd: state, env });
  await model.close();
  const file = `core-${buildId}-${process.version}-${process.arch}.cache`;
  writeFileSync(join(dist, file), readFileSync(join(state, "cache", file)));
  rmSync(state, { recursive: true, force: true });
}

function bundledLicences(inputs) {
  const names = new Set(inputs.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []));
  return [...names]
    .sort()
    .map((name) => {
      const folder = join(root, "node_modules", name);
      const { version: bundled, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      return `${name} ${bundled} (${license})\n\n${licenceText(folder)}\n`;
    })
    .join(`${"-".repeat(80)}\n`);
}

function licenceText(folder) {
  for (const name of ["LICENSE", "LICENSE.md", "LICENSE.txt", "LICENCE", "license"]) {
    try {
      return readFileSync(join(folder, name), "utf8");
    } catch {}
  }
  return "(no licence file in the package)";
}

function printSizes({ outputs }) {
  for (const [path, { bytes }] of Object.entries(outputs).sort(([, a], [, b]) => b.bytes - a.bytes))
    console.log(`${String(bytes).padStart(8)}  ${path}`);
}

// Makes dist/: split ES modules for the program and the library, type declarations, licences of what is bundled.
import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const { version, dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

rmSync(join(root, "dist"), { recursive: true, force: true });
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: { cli: "src/cli.ts", index: "src/index.ts", testing: "src/testing/index.ts" },
  outdir: "dist",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  chunkNames: "chunks/[name]-[hash]",
  external: Object.keys(dependencies),
  define: { __VERSION__: JSON.stringify(version) },
  minify: true,
  keepNames: true,
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
});
chmodSync(join(root, "dist/cli.js"), 0o755);
writeFileSync(join(root, "dist/LICENSES.txt"), bundledLicences(metafile));
execFileSync(join(root, "node_modules/.bin/tsc"), ["-p", "tsconfig.types.json"], { cwd: root, stdio: "inherit" });
if (process.argv.includes("--sizes")) printSizes(metafile);

function bundledLicences({ inputs }) {
  const names = new Set(Object.keys(inputs).flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []));
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
  for (const [path, { bytes, entryPoint }] of Object.entries(outputs).sort(([, a], [, b]) => b.bytes - a.bytes)) {
    console.log(`${String(bytes).padStart(8)}  ${path}${entryPoint ? `  <- ${entryPoint}` : ""}`);
  }
}

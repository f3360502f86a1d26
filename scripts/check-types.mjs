// Can every kind of importer resolve the types of the packed library? (are-the-types-wrong, on what `npm pack` would publish)
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";

const packed = execFileSync("npm", ["pack", "--json", "--ignore-scripts"], {
  encoding: "utf8",
  stdio: ["ignore", "pipe", "ignore"],
});
const [{ filename }] = JSON.parse(packed);
const tarball = readFileSync(filename);
rmSync(filename);
const { problems = [], types } = await checkPackage(createPackageFromTarballData(tarball));
// an ES module only: those who `require` it are told so by Node
const expected = new Set(["CJSResolvesToESM", "NoResolution"]);
const serious = problems.filter(
  ({ kind, resolutionKind }) => !(expected.has(kind) && (kind === "CJSResolvesToESM" || resolutionKind === "node10")),
);
for (const problem of serious) console.error(JSON.stringify(problem));
if (!types) console.error("The package has no types.");
process.exit(serious.length > 0 || !types ? 1 : 0);

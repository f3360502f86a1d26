import { catchesSecret, isSecretPath } from "../secret-paths.ts";
import type { Finding } from "../shell/finding.ts";
import type { Call, Stream } from "../shell/judge.ts";
import { isStatic, pattern, type Value } from "../shell/value.ts";
import { pathsFound } from "./judge-find.ts";
import { findReader } from "./judge-git.ts";
import { lookUp } from "./look-up.ts";
import { readPrograms } from "./program-table.ts";
import { shellPrograms } from "./wrapper-table.ts";

/** What a command prints, as far as it matters to the next one in a pipeline. */
export function outputOf(call: Call, finding: Finding): Stream {
  const text = printedText(call);
  const paths = finding.verdict === "allow" ? printedPaths(call) : undefined;
  return {
    ...(text === undefined ? {} : { text }),
    ...(paths === undefined ? {} : { paths }),
    ...(finding.secret || call.stdin.secret ? { secret: true } : {}),
    ...(shellPrograms.has(call.program) ? { fromShell: true } : {}),
  };
}

function printedText({ program, args, stdin }: Call): string | undefined {
  if (!args.every(isStatic)) return undefined;
  const words = args.map(({ text }) => text);
  if (program === "cat" && (words.length === 0 || words[0] === "-")) return stdin.text;
  if (program === "echo") {
    const said = words.filter((word) => !/^-[neE]+$/.test(word)).join(" ");
    return said.includes("\\") ? said.replace(/\\n/g, "\n") : said;
  }
  const [format = "", ...values] = words;
  if (program !== "printf") return undefined;
  const said = format.replace(/%s/g, () => values.shift() ?? "").replace(/\\n/g, "\n");
  return [said, ...values].join("\n");
}

const soundsSecret = /env|pem|key|rsa|secret|credential|token|netrc|passw|history/i;

/** Which of its files a search prints is decided by its patterns: one that looks for secrets lists secrets. */
function looksForSecrets(args: readonly Value[]): boolean {
  return args.some(({ text }) => isSecretPath(text) || catchesSecret(text) || soundsSecret.test(text));
}

function printedPaths(call: Call): readonly Value[] | undefined {
  const { program, args, stdin } = call;
  if (looksForSecrets(args)) return undefined;
  if (program === "find") return pathsFound(call);
  const spec = program === "git" ? findReader(args)?.spec : lookUp(readPrograms, program);
  const has = (shape: RegExp) => args.some(({ text }) => shape.test(text));
  const printsLines = /^([ef]?grep|rg)$/.test(program) && !has(/^(-[a-zA-Z]*[lL][a-zA-Z]*|--files.*)$/);
  if (program === "ls" && has(/^-[a-zA-Z]*[aAf]|^--al/)) return undefined;
  const namesOnly = program === "git" && has(/^--name-only$/);
  if (namesOnly || (spec?.listsFiles && !printsLines)) return [pattern("*", 0)];
  const isOnlyPattern = printsLines && !has(/^-[a-zA-Z]*[ef]|^--(regexp|file)/) && args.filter(isOperand).length <= 1;
  const readsInput = isOnlyPattern || args.every(({ text }) => /^-|^\d+$/.test(text));
  return spec?.filtersLines && readsInput ? stdin.paths : undefined;
}

function isOperand({ text }: Value): boolean {
  return !text.startsWith("-");
}

import type { FileBelow } from "./files-below.ts";

const scriptName =
  /(?:^|\/)scripts?\/|\.(?:sh|bash|zsh|fish|py|rb|pl|php|lua|js|mjs|cjs|ts|mts|ps1|bat|cmd|exe|com|jar|wasm|so|dylib|dll)$/i;

/** Is it there to be run? By its name or by its permissions. */
export function isScript({ path, isExecutable }: Pick<FileBelow, "path" | "isExecutable">): boolean {
  return isExecutable || scriptName.test(path);
}

import type { OptionGrammar } from "./options.ts";

/** What a writing program does with its operands. */
export type WriteRole =
  | "creates" // or changes each of them
  | "removes" // each of them
  | "copies" // the others to the last
  | "moves" // the others to the last
  | "links" // names one by another
  | "sets-mode"; // first a mode, then paths

export type WriteProgram = { readonly options: OptionGrammar; readonly role: WriteRole };

/**
 * Programs that change files and nothing else. They are asked about; inside the workspace, with options named here,
 * they count as edits. With other options they count as not understood.
 */
export const writeTable: Readonly<Record<string, WriteProgram>> = {
  mkdir: { options: { short: "pv", long: "parents verbose" }, role: "creates" },
  touch: { options: { short: "acmd:t:", long: "date= no-create time=" }, role: "creates" },
  tee: { options: { short: "ai", long: "append ignore-interrupts" }, role: "creates" },
  truncate: { options: { short: "cs:", long: "no-create size=" }, role: "creates" },
  rm: {
    options: {
      short: "dfIiRrv",
      long: "dir force interactive=? one-file-system preserve-root=? recursive verbose",
      harmless: true,
    },
    role: "removes",
  },
  rmdir: { options: { short: "v", long: "ignore-fail-on-non-empty verbose" }, role: "removes" },
  unlink: { options: {}, role: "removes" },
  shred: { options: { short: "fuvzn:", long: "force remove=? zero iterations=" }, role: "removes" },
  srm: { options: { short: "frvz" }, role: "removes" },
  cp: {
    options: { short: "finpuvT", long: "force interactive no-clobber no-target-directory update=? verbose" },
    role: "copies",
  },
  mv: {
    options: { short: "finuvT", long: "force interactive no-clobber no-target-directory update=? verbose" },
    role: "moves",
  },
  ln: { options: { short: "fnrsvT", long: "force no-dereference relative symbolic verbose" }, role: "links" },
  chmod: { options: { short: "cfRv", long: "changes quiet recursive silent verbose" }, role: "sets-mode" },
};

/** Modes without setuid, setgid and sticky bits. */
export const plainMode = /^(0?[0-7]{3}|[ugoa]*[-+=][rwxX]*(,[ugoa]*[-+=][rwxX]*)*)$/;

export type InstructionFile = {
  readonly path: string;
  readonly text: string;
  /** The person's, not the project's. */
  readonly isOwn?: true;
};

/** For all files together; what is over is cut from the end of the farthest file first. */
const characterLimit = 24_000;

/** The person's own, then AGENTS.md and CLAUDE.md from the repository's root down to the folder: the nearest comes last and so weighs most. */
export function instructionsSection(files: readonly InstructionFile[]): string {
  if (files.length === 0) return "";
  const title = files.some(({ isOwn }) => isOwn)
    ? "Instructions (the user's own, then those of their repository; the later file wins)"
    : "Project instructions (from the user's repository; the later file wins)";
  return `${title}\n${instructionBlocks(files)}`;
}

export function instructionBlocks(files: readonly InstructionFile[]): string {
  let left = characterLimit;
  const sections: string[] = [];
  for (const { path, text } of files.toReversed()) {
    // half of a surrogate pair at the cut is no text, and some servers refuse it
    const kept = text
      .trim()
      .slice(0, Math.max(left, 0))
      .replace(/[\ud800-\udbff]$/, "");
    left -= kept.length;
    const note =
      kept.length < text.trim().length
        ? `\n[cut: ${kept.length} of ${text.trim().length} characters shown; read_file ${path} for the rest]`
        : "";
    sections.unshift(`<instructions file="${path}">\n${kept}${note}\n</instructions>`);
  }
  return sections.join("\n");
}

/**
 * What a skill's `allowed-tools` may open: single tools and named commands. Not every command, not every tool of a pattern: that is for
 * the person's own rules. Edits count for ordinary files only, so that nothing which others execute is opened.
 */
export function grantableRules(wanted: readonly string[]): {
  readonly rules: readonly string[];
  readonly refused: readonly string[];
} {
  const rules: string[] = [];
  const refused: string[] = [];
  for (const rule of wanted) {
    const [, tool = "", argument] = /^([^(]*)(?:\(([^)]*)\))?$/.exec(rule) ?? [];
    const isEveryCommand = /^bash$/i.test(tool) && !/^[\s:]*[^\s:*]/.test(argument ?? "");
    if (tool === "" || tool.includes("*") || isEveryCommand) refused.push(rule);
    else if (argument === undefined && /^(?:edit|write|multiedit|edit_file|write_file)$/i.test(tool))
      rules.push(`${tool}(**)`);
    else rules.push(rule);
  }
  return { rules, refused };
}

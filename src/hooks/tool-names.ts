/** What Claude Code calls our tools: hooks written for it are found by these names, and are told them. */
const foreignNames: Readonly<Record<string, string>> = {
  bash: "Bash",
  read_file: "Read",
  edit_file: "Edit",
  write_file: "Write",
  glob: "Glob",
  grep: "Grep",
  agent: "Task",
  todo_write: "TodoWrite",
};

/**
 * The name of the tool as the matcher spells it, undefined when it is for others. A hook without a matcher, or with one for our names, is told ours.
 */
export function nameForMatcher(matcher: string | undefined, tool: string): string | undefined {
  if (matcher === undefined) return tool;
  const pattern = new RegExp(`^(?:${matcher})$`);
  return [tool, foreignNames[tool]].find((name) => name !== undefined && pattern.test(name));
}

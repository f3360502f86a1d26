/** What Claude Code calls our tools: files written for it name them so. */
export const foreignToolNames: Readonly<Record<string, string>> = {
  bash: "Bash",
  read_file: "Read",
  edit_file: "Edit",
  write_file: "Write",
  glob: "Glob",
  grep: "Grep",
  agent: "Task",
  todo_write: "TodoWrite",
  web_fetch: "WebFetch",
};

/** Our name of a tool, however it is called; a name that nobody else uses stays as it is. */
export function ownToolName(name: string): string {
  return Object.keys(foreignToolNames).find((own) => foreignToolNames[own] === name) ?? name;
}

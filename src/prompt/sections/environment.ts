export type PromptEnvironment = {
  readonly cwd: string;
  readonly platform: string;
  /** The day only: a clock would change the prompt, and with it lose the vendor's cache, on every call. */
  readonly date: string;
  readonly isGitRepository: boolean;
};

export function environmentSection({ cwd, platform, date, isGitRepository }: PromptEnvironment): string {
  return `Environment
- folder: ${cwd}${isGitRepository ? " (a git repository)" : ""}; relative paths and the shell start here
- system: ${platform}; date: ${date}`;
}

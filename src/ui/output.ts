/** Where a reader writes. Real streams in the program, arrays in tests. */
export type Output = {
  out(text: string): void;
  err(text: string): void;
  /** Colours on standard error. */
  readonly color: boolean;
  /** Both streams end up on one screen, so that a line begun on one must be ended before the other writes. */
  readonly oneScreen: boolean;
  /** The person asked for more words. */
  readonly isVerbose?: boolean;
  /** Paths below it are shown from it. */
  readonly root?: string;
};

export function processOutput(color: boolean): Output {
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    color,
    oneScreen: process.stdout.isTTY === true && process.stderr.isTTY === true,
  };
}

/** Our own colours are the only control characters that reach the terminal. */
export function paint(output: Output, style: "dim" | "red" | "green" | "bold" | "cyan", text: string): string {
  if (!output.color) return text;
  const code = { dim: 2, red: 31, green: 32, bold: 1, cyan: 36 }[style];
  return `\u001b[${code}m${text}\u001b[0m`;
}

/** Resolves when everything written has left the process. */
export async function flushed(): Promise<void> {
  const drain = (stream: NodeJS.WriteStream) =>
    new Promise<void>((resolve) => (stream.destroyed ? resolve() : stream.write("", () => resolve())));
  await Promise.all([drain(process.stdout), drain(process.stderr)]);
}

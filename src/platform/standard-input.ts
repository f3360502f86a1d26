import { exitCode, UserError } from "../contracts/errors.ts";

const longestPrompt = 32 * 1024 * 1024;

/** Everything on standard input, as UTF-8. Throws UserError when there is nobody to send any. */
export async function readStandardInput(): Promise<string> {
  if (process.stdin.isTTY)
    throw new UserError(exitCode.usage, 'No prompt. Give one: corecoder -p "…", or pipe it: echo "…" | corecoder -p.');
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of process.stdin) {
    pieces.push(piece as Buffer);
    size += (piece as Buffer).length;
    if (size > longestPrompt)
      throw new UserError(
        exitCode.usage,
        "The prompt on standard input is over 32 MB. Put it into a file and name the file in the prompt.",
      );
  }
  const bytes = Buffer.concat(pieces);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new UserError(
      exitCode.usage,
      "The prompt on standard input is not valid UTF-8. Convert it first (iconv -t utf-8), or put it into a file and name the file.",
    );
  }
}

/** Standard input a line at a time; ends with it. */
export async function* linesOfStandardInput(): AsyncGenerator<string> {
  if (process.stdin.isTTY) throw new UserError(exitCode.usage, "Nothing on standard input: pipe the lines in.");
  let rest = "";
  process.stdin.setEncoding("utf8");
  for await (const piece of process.stdin) {
    const lines = (rest + (piece as string)).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}

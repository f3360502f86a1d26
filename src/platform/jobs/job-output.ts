import { createCleanStream } from "../clean-stream.ts";
import { createSpillFile } from "../spill-file.ts";
import { cleanProgramOutput } from "../terminal-text.ts";

const headChars = 8_000;
const tailChars = 6_000;
/** Of a line that is not finished, the end. */
const openLineBytes = 600;

/** What a job prints: all of it to a file up to the file's limit, and in memory what nobody has looked at yet. */
export type JobOutput = {
  /** The bytes are not kept. */
  push(bytes: Buffer): void;
  end(): void;
  /** What came since the last look, without its middle when it is long. A line that is not finished comes again when it is. */
  takeNew(): string;
  /** The same, and it stays new. */
  peekNew(): string;
  /** The end of all that was printed. */
  readonly last: string;
  /** Is given every piece of whole lines; answers with the way to stop. */
  listen(onText: (text: string) => void): () => void;
  /** `the whole output is in PATH`, or why there is no file. */
  where(): string;
};

/** `path`: where the file goes, without an ending; undefined when it cannot be kept. */
export function createJobOutput(path: () => string | undefined): JobOutput {
  const clean = createCleanStream();
  const file = createSpillFile(path);
  const listeners = new Set<(text: string) => void>();
  let head = "";
  let tail = "";
  let last = "";
  let leftOut = 0;
  let openLine = Buffer.alloc(0);

  function keep(text: string): void {
    if (text === "") return;
    file.write(text);
    last = (last + text).slice(-tailChars);
    const room = Math.max(0, headChars - head.length);
    head += text.slice(0, room);
    const rest = tail + text.slice(room);
    tail = rest.slice(-tailChars);
    leftOut += rest.length - tail.length;
    for (const listener of listeners) listener(text);
  }

  function newText(): string {
    const middle = leftOut > 0 ? `\n[… ${leftOut} characters left out; ${file.where()} …]\n` : "";
    return head + middle + tail + cleanProgramOutput(openLine.toString("utf8"));
  }

  return {
    push(bytes) {
      const lineEnd = bytes.lastIndexOf(10);
      const open = lineEnd < 0 ? Buffer.concat([openLine, bytes]) : bytes.subarray(lineEnd + 1);
      openLine = Buffer.from(open.subarray(-openLineBytes));
      keep(clean.push(bytes));
    },
    end() {
      openLine = Buffer.alloc(0);
      keep(clean.end());
      file.close();
    },
    takeNew() {
      const text = newText();
      head = "";
      tail = "";
      leftOut = 0;
      return text;
    },
    peekNew: newText,
    get last() {
      return last;
    },
    listen(onText) {
      listeners.add(onText);
      return () => listeners.delete(onText);
    },
    where: () => file.where(),
  };
}

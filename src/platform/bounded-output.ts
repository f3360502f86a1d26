import { createCleanStream, looksBinary } from "./clean-stream.ts";
import { createSpillFile } from "./spill-file.ts";
import { cleanProgramOutput } from "./terminal-text.ts";

const headChars = 8_000;
const tailChars = 6_000;
/** More than UTF-8 needs for the tail, since terminal commands are still in it. */
const rawTailBytes = 8 * tailChars;
const binaryDecidedBytes = 1_000_000;

export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

function lineEndsIn(bytes: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at++) if (bytes[at] === 10) count++;
  return count;
}

/** A cut must not leave half a character. */
function firstChars(text: string, count: number): string {
  return text.slice(0, /[\ud800-\udbff]/.test(text.charAt(count - 1)) ? count - 1 : count);
}

function lastChars(text: string, count: number): string {
  const end = text.slice(-count);
  return /^[\udc00-\udfff]/.test(end) ? end.slice(1) : end;
}

/** The last bytes of a stream. */
class RawTail {
  private readonly kept = Buffer.alloc(rawTailBytes);
  private length = 0;

  push(bytes: Buffer): void {
    const piece = bytes.subarray(-rawTailBytes);
    const stays = Math.min(this.length, rawTailBytes - piece.length);
    this.kept.copyWithin(0, this.length - stays, this.length);
    piece.copy(this.kept, stays);
    this.length = stays + piece.length;
  }

  text(): string {
    return cleanProgramOutput(this.kept.toString("utf8", 0, this.length));
  }
}

/**
 * The beginning and the end of a program's output of any length, clean of terminal commands; what does not fit in memory
 * goes to a file, and what does not fit in the file is counted.
 */
export class BoundedOutput {
  private readonly clean = createCleanStream();
  private readonly spill;
  private head = "";
  private tail = "";
  private wasCut = false;
  private chars = 0;
  private lineEnds = 0;
  private bytes = 0;
  private binaryBytes = 0;
  /** Set when the file is full. */
  private rawTail: RawTail | undefined;

  /**
   * `spillPath`: where the whole goes when it does not fit, without an ending; undefined when it cannot be kept. `keepFile` is given the file
   * when it is complete and answers with where it lies then.
   */
  constructor(
    spillPath: () => string | undefined,
    private readonly keepFile: (path: string) => string = (path) => path,
  ) {
    this.spill = createSpillFile(spillPath);
  }

  /** Takes a piece (it is not kept) and answers with the lines that it completed. */
  push(bytes: Buffer): string {
    this.bytes += bytes.length;
    if (this.rawTail) {
      this.rawTail.push(bytes);
      return "";
    }
    if (this.binaryBytes > 0 || (this.bytes < binaryDecidedBytes && looksBinary(bytes))) {
      this.binaryBytes += bytes.length;
      return "";
    }
    this.lineEnds += lineEndsIn(bytes);
    const text = this.clean.push(bytes);
    if (text !== "") this.keep(text);
    if (this.spill.full) this.rawTail = new RawTail();
    return text;
  }

  /** The text, with a note in the middle when it was cut. Called once, at the end. */
  end(): string {
    if (this.rawTail) this.tail = lastChars(this.tail + this.rawTail.text(), tailChars);
    else this.keep(this.clean.end());
    this.spill.close();
    if (this.spill.path !== undefined) this.spill.movedTo(this.keepFile(this.spill.path));
    const text = this.wasCut ? `${this.head}\n[… ${this.leftOut()} …]\n${this.tail}` : this.head;
    if (this.binaryBytes === 0) return text;
    const between = text === "" || text.endsWith("\n") ? "" : "\n";
    return `${text}${between}[binary output, ${grouped(this.binaryBytes)} bytes, not shown; send it to a file with > to keep it]`;
  }

  private keep(text: string): void {
    this.chars += text.length;
    if (this.wasCut) {
      this.spill.write(text);
      this.tail = lastChars(text.length < tailChars ? this.tail + text : text, tailChars);
      return;
    }
    this.head += text;
    if (this.head.length <= headChars + tailChars) return;
    this.wasCut = true;
    this.spill.write(this.head);
    this.tail = lastChars(this.head, tailChars);
    this.head = firstChars(this.head, headChars);
  }

  private leftOut(): string {
    if (this.rawTail) return `the middle of ${grouped(this.bytes)} bytes left out; ${this.spill.where()}`;
    const chars = this.chars - this.head.length - this.tail.length;
    const shown = lineEndsIn(Buffer.from(this.head)) + lineEndsIn(Buffer.from(this.tail));
    const lines = Math.max(0, this.lineEnds - shown);
    return `${grouped(chars)} of ${grouped(this.chars)} characters (${grouped(lines)} lines) left out; ${this.spill.where()}`;
  }
}

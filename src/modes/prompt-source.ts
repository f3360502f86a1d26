import { createEventQueue } from "../agent/event-queue.ts";
import { messageOf } from "../contracts/errors.ts";
import type { Part } from "../contracts/message.ts";
import { linesOfStandardInput } from "../platform/standard-input.ts";

export type Prompt = string | readonly Part[];

export type PromptLines = {
  /** Ends with standard input. */
  readonly prompts: AsyncGenerator<Prompt>;
};

/** `{"type":"control_request","request_id":"1","request":{"subtype":"interrupt"}}`, as programs written for Claude Code send it. */
export type ControlRequest = { readonly id: string; readonly request: Readonly<Record<string, unknown>> };

type Reader = {
  /** A line that cannot be used; the ones after it still count. */
  readonly onProblem: (text: string) => void;
  /** Something other than a prompt is wanted, now. */
  readonly onControl: (request: ControlRequest) => void;
};

/** `--input-format stream-json`: a prompt a line, read while an earlier one is being worked on. */
export function readPromptLines({ onProblem, onControl }: Reader): PromptLines {
  const queue = createEventQueue<Prompt>();
  async function read(): Promise<void> {
    let number = 0;
    for await (const line of linesOfStandardInput()) {
      number++;
      if (line.trim() === "") continue;
      const found = readLine(line);
      if ("problem" in found) onProblem(`Line ${number} on standard input ${found.problem}; it was left out.`);
      else if ("control" in found) onControl(found.control);
      else queue.push(found.prompt);
    }
  }
  read().then(
    () => queue.close(),
    (error: unknown) => queue.close(error),
  );
  return { prompts: queue.read() };
}

type Read = { readonly prompt: Prompt } | { readonly control: ControlRequest } | { readonly problem: string };

const shape = '{"type":"user","message":{"role":"user","content":"…"}}';

function readLine(line: string): Read {
  let value: Line;
  try {
    value = JSON.parse(line) as Line;
  } catch (error) {
    return { problem: `is not JSON (${messageOf(error)})` };
  }
  if (value?.type === "control_request")
    return { control: { id: String(value.request_id ?? ""), request: value.request ?? {} } };
  if (value?.type !== "user") return { problem: `is no prompt; a prompt is ${shape}` };
  const { content } = value.message ?? {};
  if (typeof content === "string")
    return content.trim() === "" ? { problem: "is an empty prompt" } : { prompt: content };
  const parts = Array.isArray(content) ? content.map(readBlock) : [];
  if (parts.length === 0 || parts.includes(undefined))
    return { problem: `holds something other than text and base64 images; a prompt is ${shape}` };
  return { prompt: parts as Part[] };
}

type Line = {
  readonly type?: unknown;
  readonly request_id?: unknown;
  readonly request?: Readonly<Record<string, unknown>>;
  readonly message?: { readonly content?: unknown };
} | null;

type Block = {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly source?: { readonly type?: unknown; readonly media_type?: unknown; readonly data?: unknown };
} | null;

function readBlock(given: unknown): Part | undefined {
  const block = given as Block;
  if (block?.type === "text" && typeof block.text === "string") return { type: "text", text: block.text };
  const { type, media_type: mediaType, data } = block?.source ?? {};
  if (block?.type === "image" && type === "base64" && typeof mediaType === "string" && typeof data === "string")
    return { type: "image", mediaType, base64: data };
  return undefined;
}

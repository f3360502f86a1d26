import { textOf } from "../contracts/message.ts";
import { spineOf } from "./fold-note.ts";
import type { Transcript } from "./transcript.ts";

const sentenceLimit = 300;
const sentences = 12;

/** What stands in when no model can be asked: the goal in the person's words, and what the agent last said. Files, errors and results are added to every note anyway. */
export function extractSummary(transcript: Transcript, through: number): string {
  const { first, latest } = spineOf(transcript);
  const said = transcript.entries
    .slice(0, through + 1)
    .filter(({ message }) => message.role === "assistant" && textOf(message).trim() !== "")
    .slice(-sentences)
    .map(({ message }) => `- ${cut(textOf(message))}`);
  return [
    "(No model summary: this was put together by code.)",
    first ? `Goal: ${cut(textOf(first))}` : "",
    latest && latest !== first ? `Latest request: ${cut(textOf(latest))}` : "",
    said.length > 0 ? `Progress, newest last:\n${said.join("\n")}` : "",
  ]
    .filter((line) => line !== "")
    .join("\n");
}

function cut(text: string): string {
  const line = text.trim().replace(/\s+/g, " ");
  return line.length <= sentenceLimit ? line : `${line.slice(0, sentenceLimit)}…`;
}

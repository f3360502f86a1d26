import type { Part } from "../../contracts/message.ts";
import type { SessionEntry } from "../../contracts/session.ts";

/** A text of the conversation that can be searched for. */
export type SearchableText = {
  readonly role: "user" | "assistant" | "tool";
  readonly tool: string | undefined;
  readonly text: string;
  /** How much a word in it counts: what people said more than what a command printed. */
  readonly weight: number;
};

const weights = { name: 6, prompt: 4, answer: 2, other: 1 };

/** What was said, thought, called and answered; not what every session holds alike, such as the system prompt. */
export function searchableTexts(entry: SessionEntry): readonly SearchableText[] {
  if (entry.type === "name") return [{ role: "user", tool: undefined, text: entry.name, weight: weights.name }];
  if (entry.type !== "message") return [];
  const { role, parts, synthetic } = entry.message;
  const isPrompt = role === "user" && synthetic !== true;
  const said = isPrompt ? weights.prompt : role === "assistant" ? weights.answer : weights.other;
  return parts.flatMap((part): SearchableText[] => {
    const found = textOfPart(part);
    if (found === undefined) return [];
    return [
      {
        role,
        tool: found.tool,
        text: found.text.normalize("NFC"),
        weight: part.type === "text" ? said : weights.other,
      },
    ];
  });
}

function textOfPart(part: Part): { readonly text: string; readonly tool: string | undefined } | undefined {
  switch (part.type) {
    case "text":
    case "thinking":
      return { text: part.text, tool: undefined };
    case "tool-result":
      return { text: part.text, tool: part.tool };
    case "tool-call":
      return { text: part.input === undefined ? part.rawInput : textsIn(part.input).join("\n"), tool: part.tool };
    case "image":
      return undefined;
  }
}

/** All texts inside a value, since the JSON around and within them is nobody's words. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  return value !== null && typeof value === "object" ? Object.values(value).flatMap(textsIn) : [];
}

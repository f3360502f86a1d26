import type { ModelRequest } from "../contracts/provider.ts";
import type { Protocol, Refusals } from "./protocol.ts";

/** A field we can do without, and how a complaint about it reads. */
export type DroppableField = {
  readonly field: keyof Refusals;
  readonly wording: RegExp;
  readonly sentIn: (request: ModelRequest) => boolean;
};

const refusalWords =
  /unsupported|not support|unknown|unrecogni[sz]ed|unexpected|invalid|not permitted|not allowed|extra (fields|inputs)|no such|cannot find field|maximum allowed|must be verified/i;

/** Pictures may be too much for a model on every wire; one bad picture is another matter. */
const images: DroppableField = {
  field: "images",
  wording:
    /^(?!.*(?:format|mime|media.?type|too large|base64|decode)).*(?:support\w*\b[^.]*\b(?:images?|vision|multimodal)|\b(?:images?|vision|multimodal)\b[^.]*support|image_url)/is,
  sentIn: ({ messages }) =>
    messages.some(({ parts }) =>
      parts.some((part) => part.type === "image" || (part.type === "tool-result" && part.images !== undefined)),
    ),
};

export function refusedOf(fields: readonly DroppableField[]): Protocol["refusedField"] {
  const all = [...fields, images];
  return (request, message) =>
    refusalWords.test(message)
      ? all.find(({ wording, sentIn }) => wording.test(message) && sentIn(request))?.field
      : undefined;
}

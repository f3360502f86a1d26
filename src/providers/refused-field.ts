import type { ModelRequest } from "../contracts/provider.ts";
import { isRaised } from "./answer-limit.ts";
import type { Protocol, Refusals } from "./protocol.ts";

/** A field we can do without, and how a complaint about it reads. */
export type DroppableField = {
  readonly field: keyof Refusals;
  readonly wording: RegExp;
  readonly sentIn: (request: ModelRequest, known: Refusals) => boolean;
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

/** A limit that was raised to what the model can write may be too much for an endpoint. */
const outputLimit: DroppableField = {
  field: "outputLimit",
  wording: /max_(?:completion_|output_)?tokens|maxOutputTokens/i,
  sentIn: isRaised,
};

export function refusedOf(fields: readonly DroppableField[]): Protocol["refusedField"] {
  const all = [...fields, outputLimit, images];
  return (request, message, known) =>
    refusalWords.test(message)
      ? all.find(({ field, wording, sentIn }) => !known[field] && wording.test(message) && sentIn(request, known))
          ?.field
      : undefined;
}

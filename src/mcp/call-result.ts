import type { ImagePart } from "../contracts/message.ts";
import type { ToolContext, ToolOutput } from "../contracts/tool.ts";
import { withoutHidden } from "../platform/invisible-text.ts";
import { stripControl } from "../platform/terminal-text.ts";
import { cleanLine } from "./clean-text.ts";
import { fieldsOf } from "./listing.ts";

/** Longest text that enters the conversation; the whole is kept under the call's handle. */
const maxChars = 20_000;
const headChars = 12_000;
const tailChars = 5_000;
const maxImages = 8;
const maxImageChars = 7_000_000;
const imageTypes = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** What a tool answered, as the model reads it. */
export function readCallResult(given: unknown, context: Pick<ToolContext, "keep" | "handle">): ToolOutput {
  const { content, structuredContent, isError } = fieldsOf(given);
  const blocks = Array.isArray(content) ? content : [];
  const images = blocks.flatMap(imageOf).slice(0, maxImages);
  const texts = blocks.map(textOf).filter((text) => text !== "");
  if (texts.length === 0 && structuredContent !== undefined) texts.push(JSON.stringify(structuredContent));
  const text =
    texts.join("\n") || (images.length > 0 ? `(${images.length} images)` : "(the tool answered with nothing)");
  return {
    text: boundedText(text, context),
    ...(images.length > 0 ? { images } : {}),
    ...(isError === true ? { isError: true } : {}),
  };
}

/** Clean, and no longer than a conversation can carry. */
export function boundedText(given: string, { keep, handle }: Pick<ToolContext, "keep" | "handle">): string {
  const text = withoutHidden(stripControl(given)).text;
  if (text.length <= maxChars) return text;
  const path = keep(text);
  const whole = path === undefined ? "they could not be kept" : `the whole is ${handle}, read_file ${path}`;
  const left = text.length - headChars - tailChars;
  return `${text.slice(0, headChars)}\n[… ${left} of ${text.length} characters left out; ${whole} …]\n${text.slice(-tailChars)}`;
}

function textOf(block: unknown): string {
  const { type, text, mimeType, data, uri, name, description, resource } = fieldsOf(block);
  switch (type) {
    case "text":
      return typeof text === "string" ? text : "";
    case "image":
      return imageOf(block).length > 0 ? "" : `[an image that cannot be shown: ${cleanLine(mimeType, 60)}]`;
    case "audio":
      return `[audio, ${cleanLine(mimeType, 60)}, ${typeof data === "string" ? data.length : 0} characters of base64, not shown]`;
    case "resource_link":
      return `[resource ${cleanLine(uri, 500)} ${cleanLine(name, 100)} ${cleanLine(description, 200)}]`.replace(
        / +\]$/,
        "]",
      );
    case "resource":
      return resourceText(resource);
    default:
      return "";
  }
}

/** The content of a resource, or what it is where it is no text. */
export function resourceText(given: unknown): string {
  const { uri, mimeType, text, blob } = fieldsOf(given);
  const head = `[resource ${cleanLine(uri, 500)}${mimeType ? `, ${cleanLine(mimeType, 60)}` : ""}]`;
  if (typeof text === "string") return `${head}\n${text}`;
  return `${head} binary, ${typeof blob === "string" ? Math.floor((blob.length * 3) / 4) : 0} bytes, not shown`;
}

function imageOf(block: unknown): readonly ImagePart[] {
  const { type, mimeType, data } = fieldsOf(block);
  if (type !== "image" || typeof mimeType !== "string" || typeof data !== "string") return [];
  if (!imageTypes.has(mimeType) || data.length > maxImageChars || !/^[A-Za-z0-9+/]+={0,2}$/.test(data)) return [];
  return [{ type: "image", mediaType: mimeType, base64: data }];
}

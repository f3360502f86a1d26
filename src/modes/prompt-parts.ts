import type { ImagePart, Part } from "../contracts/message.ts";
import { kindOf } from "../platform/content-kind.ts";
import { expandPath } from "../platform/paths.ts";
import { readSmallFile } from "../platform/small-file.ts";

const imageLimitBytes = 5 * 1024 * 1024;
const imageLimit = 10;
/** As typed, as `@path`, or as a terminal writes a file that was dropped on it. */
const imagePath =
  /"([^"\n]+\.(?:png|jpe?g|gif|webp))"|'([^'\n]+\.(?:png|jpe?g|gif|webp))'|((?:\\.|[^\s\\"'])+\.(?:png|jpe?g|gif|webp))\b/gi;

/** A prompt with the pictures it names; a name without a picture behind it stays a word. */
export function promptParts(text: string, cwd: string): readonly Part[] {
  const images: ImagePart[] = [];
  for (const [, double, single, bare] of text.matchAll(imagePath)) {
    const named = double ?? single ?? bare?.replace(/\\(.)/g, "$1") ?? "";
    const path = expandPath(named.replace(/^@/, ""), cwd);
    const bytes = images.length < imageLimit ? readSmallFile(path, imageLimitBytes) : undefined;
    const kind = bytes && kindOf(bytes.subarray(0, 4096));
    if (bytes && kind?.type === "image")
      images.push({ type: "image", mediaType: kind.mediaType, base64: bytes.toString("base64") });
  }
  return [{ type: "text", text }, ...images];
}

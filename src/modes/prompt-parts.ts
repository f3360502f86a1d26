import { fileURLToPath } from "node:url";
import type { ImagePart, Part } from "../contracts/message.ts";
import { kindOf } from "../platform/content-kind.ts";
import { expandPath } from "../platform/paths.ts";
import { readSmallFile } from "../platform/small-file.ts";

const imageLimitBytes = 5 * 1024 * 1024;
const imageLimit = 10;
/** As typed, as `@path`, or as a terminal writes a file that was dropped on it. */
const imagePath =
  /"([^"\n]+\.(?:png|jpe?g|gif|webp))"|'([^'\n]+\.(?:png|jpe?g|gif|webp))'|((?:\\.|[^\s\\"'])+\.(?:png|jpe?g|gif|webp))\b/gi;

type FoundImage = { readonly written: string; readonly path: string; readonly part: ImagePart };

/** A prompt with the pictures it names; a name without a picture behind it stays a word. */
export function promptParts(text: string, cwd: string): readonly Part[] {
  return [{ type: "text", text }, ...imagesIn(text, cwd).map(({ part }) => part)];
}

/** `[image: shot.png]` instead of the path of each picture that goes with the prompt. */
export function withPictureNames(text: string, cwd: string): string {
  return imagesIn(text, cwd).reduce(
    (shown, { written, path }) => shown.replace(written, () => `[image: ${nameOf(path)}]`),
    text,
  );
}

/** The picture that a pasted text is the path of, however the terminal has written it. */
export function pictureAt(pasted: string, cwd: string): { readonly name: string; readonly path: string } | undefined {
  const text = pasted.trim();
  if (!/\.(?:png|jpe?g|gif|webp)["']?$/i.test(text) || text.includes("\n")) return undefined;
  const found = readingsOf(text)
    .map((reading) => expandPath(reading, cwd))
    .find((path) => imageAt(path) !== undefined);
  if (found === undefined) return undefined;
  const quote = found.includes('"') ? "'" : '"';
  return { name: nameOf(found), path: `${quote}${found}${quote}` };
}

/** Quoted, escaped, as an address of a file, or simply as it is. */
function readingsOf(text: string): string[] {
  const address = /^file:\/\/(?:localhost)?(\/.*)$/.exec(text)?.[1];
  const quoted = /^(["'])(.*)\1$/.exec(text)?.[2];
  return [
    text,
    ...(quoted === undefined ? [] : [quoted]),
    text.replace(/\\(.)/g, "$1"),
    ...(address === undefined ? [] : [fileURLToPath(`file://${address}`)]),
  ];
}

function imagesIn(text: string, cwd: string): readonly FoundImage[] {
  const found: FoundImage[] = [];
  for (const [written, double, single, bare] of text.matchAll(imagePath)) {
    if (found.length === imageLimit) break;
    const named = double ?? single ?? bare?.replace(/\\(.)/g, "$1") ?? "";
    const path = expandPath(named.replace(/^@/, ""), cwd);
    const part = imageAt(path);
    if (part) found.push({ written, path, part });
  }
  return found;
}

function imageAt(path: string): ImagePart | undefined {
  const bytes = readSmallFile(path, imageLimitBytes);
  const kind = bytes && kindOf(bytes.subarray(0, 4096));
  return bytes && kind?.type === "image"
    ? { type: "image", mediaType: kind.mediaType, base64: bytes.toString("base64") }
    : undefined;
}

const nameOf = (path: string) => path.slice(path.lastIndexOf("/") + 1);

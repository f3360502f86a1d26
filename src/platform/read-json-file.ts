import { closeSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { exitCode, messageOf, UserError } from "../contracts/errors.ts";
import { errnoOf, FileFault } from "./file-fault.ts";
import { openRegular, readWhole } from "./open-file.ts";
import { realOrSame } from "./paths.ts";

const defaultLimit = 256 * 1024 * 1024;

/** The value in a `.json` or `.json.gz` file. Throws UserError 42 that names the file and what is wrong with it. */
export function readJsonFile(path: string, { limitBytes = defaultLimit }: { limitBytes?: number } = {}): unknown {
  const bytes = readBytes(path, limitBytes);
  const text = isGzip(bytes) ? unpack(path, bytes, limitBytes) : bytes.toString("utf8");
  if (text.trim() === "") throw refused(`${path} is empty. Give a session as JSON.`);
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    // the parser quotes the text around the mistake, which nobody asked to see
    const problem = messageOf(error).replace(/, (\.\.\.)?".*/s, "");
    throw refused(`${path} is not valid JSON: ${problem}. Give a session as JSON, plain or gzipped.`);
  }
}

function readBytes(path: string, limitBytes: number): Buffer {
  try {
    const file = openRegular(realOrSame(path));
    try {
      return readWhole(file, limitBytes);
    } finally {
      closeSync(file.fd);
    }
  } catch (error) {
    throw refused(describe(path, error, limitBytes));
  }
}

function describe(path: string, error: unknown, limitBytes: number): string {
  if (error instanceof FileFault && error.code === "too-large") return tooLarge(path, limitBytes);
  if (error instanceof FileFault) return `${path} is a ${error.subject}, not a file. Name a .json or .json.gz file.`;
  if (errnoOf(error) === "ENOENT" || errnoOf(error) === "ENOTDIR") return `There is no file ${path}. Check the name.`;
  return `${path} cannot be read: ${messageOf(error)}. Check its permissions.`;
}

function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

function unpack(path: string, bytes: Buffer, limitBytes: number): string {
  try {
    return gunzipSync(bytes, { maxOutputLength: limitBytes }).toString("utf8");
  } catch (error) {
    if ((error as { code?: unknown }).code === "ERR_BUFFER_TOO_LARGE") throw refused(tooLarge(path, limitBytes));
    throw refused(`${path} cannot be unpacked: ${messageOf(error)}. The file may be cut off; fetch it again.`);
  }
}

function tooLarge(path: string, limitBytes: number): string {
  const megabytes = Math.floor(limitBytes / 1024 / 1024);
  return `${path} is too large: sessions of up to ${megabytes} MB (unpacked) can be read. Give a shorter one.`;
}

function refused(message: string): UserError {
  return new UserError(exitCode.usage, message);
}

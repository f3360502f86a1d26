import { readFileSync } from "node:fs";
import { contentHasher } from "./content-hash.ts";
import { replacePrivateFile } from "./private-files.ts";

/** Data that can be made again, in a file that is believed only when it is whole. */
export async function saveChecked(path: string, data: unknown): Promise<void> {
  const { serialize } = await import("node:v8");
  const bytes = serialize(data);
  const hash = (await contentHasher()).of(bytes);
  replacePrivateFile(path, Buffer.concat([Buffer.from(`${hash}\n`), bytes]));
}

/** Undefined when there is none, or it is damaged or from a version that wrote otherwise. */
export async function loadChecked(path: string): Promise<unknown> {
  try {
    const { deserialize } = await import("node:v8");
    const file = readFileSync(path);
    const end = file.indexOf("\n");
    const bytes = file.subarray(end + 1);
    if ((await contentHasher()).of(bytes) !== file.toString("latin1", 0, end)) return undefined;
    return deserialize(bytes);
  } catch {
    return undefined;
  }
}

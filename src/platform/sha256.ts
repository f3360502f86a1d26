import { createRequire } from "node:module";

let crypto: typeof import("node:crypto") | undefined;

/** `sha256:<hex>`, at once. The crypto module is loaded when the first hash is wanted, because it costs milliseconds at start. */
export function sha256(bytes: Uint8Array): string {
  crypto ??= createRequire(import.meta.url)("node:crypto") as typeof import("node:crypto");
  return `sha256:${crypto.createHash("sha256").update(bytes).digest("hex")}`;
}

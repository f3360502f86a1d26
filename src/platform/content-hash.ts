import type { BigIntStats } from "node:fs";

/** Up to this size a file is told apart by its bytes; a bigger one by its fingerprint, because reading it twice would cost seconds. */
export const hashLimitBytes = 64 * 1024 * 1024;

export type RunningHash = { update(bytes: Uint8Array): void; digest(): string };

export type ContentHasher = { of(bytes: Uint8Array): string; start(): RunningHash };

/** The crypto module costs milliseconds at start and is first needed by a file tool, so it is loaded here. */
export async function contentHasher(): Promise<ContentHasher> {
  const { createHash } = await import("node:crypto");
  const start = (): RunningHash => {
    const hash = createHash("sha256");
    return { update: (bytes) => void hash.update(bytes), digest: () => `sha256:${hash.digest("hex")}` };
  };
  return {
    start,
    of(bytes) {
      const hash = start();
      hash.update(bytes);
      return hash.digest();
    },
  };
}

/** Identity of a file too big to hash: differs after every write, rename over it, or change of its times. */
export function fingerprintOf(stat: BigIntStats): string {
  return `stat:${stat.dev}:${stat.ino}:${stat.size}:${stat.mtimeNs}:${stat.ctimeNs}`;
}

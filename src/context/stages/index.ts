import { archive } from "./archive.ts";
import { clearConsumed } from "./clear-consumed.ts";
import { collapse } from "./collapse.ts";
import { dropMiddle } from "./drop-middle.ts";
import { idle } from "./idle.ts";
import { keepLast } from "./keep-last.ts";
import { previewLarge } from "./preview-large.ts";
import { settle } from "./settle.ts";
import { shape } from "./shape.ts";
import { snipLines } from "./snip-lines.ts";
import { summarise } from "./summarise.ts";

/** Every stage, by the name policies use. */
export const stages = {
  shape,
  idle,
  settle,
  archive,
  summarise,
  collapse,
  "snip-lines": snipLines,
  "clear-consumed": clearConsumed,
  "drop-middle": dropMiddle,
  "preview-large": previewLarge,
  "keep-last": keepLast,
} as const;

export type StageName = keyof typeof stages;

/** One step of a policy: a stage and its numbers. */
export type Step = {
  readonly [Name in StageName]: { readonly stage: Name } & Parameters<(typeof stages)[Name]>[1];
}[StageName];

/** Stages that only shape what has never been sent: no compaction, so no receipt. */
export const quietStages: ReadonlySet<StageName> = new Set(["shape", "preview-large"]);

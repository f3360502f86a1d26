import type { ArchiveParameters } from "./stages/archive.ts";
import type { ShapeParameters } from "./stages/shape.ts";
import type { SummariseParameters } from "./stages/summarise.ts";

/** A policy is data: which stages run, in which order, with which numbers. */
export type Policy = {
  readonly name: string;
  /** Everything that left the view can be had back by one call. */
  readonly recall: boolean;
  readonly shape?: ShapeParameters;
  readonly archive?: ArchiveParameters;
  readonly summarise?: SummariseParameters;
  /** While the person is away: a summary written before the cache expires, used if they return after. */
  readonly idle?: { readonly atTokens: number };
};

const archiveLedger: ArchiveParameters = {
  age: 8,
  smallAge: 16,
  smallTokens: 300,
  minTokens: 120,
  tailTokens: 8_000,
  coldTokens: 2_000,
  coldAge: 2,
  recalledAge: 20,
};

const shapeLedger: ShapeParameters = { resultTokens: 8_000, roundTokens: 25_000 };

export const policies = {
  ledger: {
    name: "ledger",
    recall: true,
    shape: shapeLedger,
    archive: archiveLedger,
    summarise: {
      atTokens: 110_000,
      atShare: 0.75,
      tailTokens: 12_000,
      userTokens: 20_000,
      proseTokens: 6_000,
      indexTokens: 3_000,
    },
    idle: { atTokens: 40_000 },
  },
  lean: {
    name: "lean",
    recall: true,
    shape: shapeLedger,
    archive: { ...archiveLedger, age: 6, smallAge: 12 },
    summarise: {
      atTokens: 60_000,
      atShare: 0.75,
      tailTokens: 8_000,
      userTokens: 12_000,
      proseTokens: 3_000,
      indexTokens: 3_000,
    },
    idle: { atTokens: 30_000 },
  },
  none: { name: "none", recall: false },
} as const satisfies Record<string, Policy>;

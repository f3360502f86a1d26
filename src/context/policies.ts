import type { ArchiveParameters } from "./stages/archive.ts";
import type { Step } from "./stages/index.ts";

/** A policy is data: which stages run, in which order, with which numbers. */
export type Policy = {
  readonly name: string;
  /** The model is told how to get back what left the view. */
  readonly recall: boolean;
  readonly steps: readonly Step[];
};

const archive: ArchiveParameters = {
  age: 8,
  smallAge: 16,
  smallTokens: 300,
  minTokens: 120,
  tailTokens: 18_000,
  coldTokens: 2_000,
  coldAge: 2,
  recalledAge: 20,
  atShare: 0.75,
};

const ledgerNotes = { tailTokens: 18_000, userTokens: 20_000, proseTokens: 3_000, indexTokens: 3_000 };
const leanNotes = { tailTokens: 6_000, userTokens: 12_000, proseTokens: 2_000, indexTokens: 2_000 };
const shape = { stage: "shape", resultTokens: 8_000, wholeTokens: 12_000, roundTokens: 25_000 } as const;

/** The seeds' summaries see 400 characters a message (three-layer) or the raw end of the conversation (the others). */
const threeLayerSummary = {
  perMessage: 400,
  inAll: 15_000,
  from: "start",
  acknowledgement: "Got it, I have the context. Let me continue.",
} as const;
const tailSummary = { perMessage: 80_000, inAll: 80_000, from: "end" } as const;

export const policies = {
  /** The default. */
  ledger: {
    name: "ledger",
    recall: true,
    steps: [
      shape,
      // often without a summary of the model, so the agent's own words count more
      { stage: "idle", atTokens: 40_000, ...ledgerNotes, proseTokens: 6_000 },
      { stage: "settle", ...ledgerNotes },
      { stage: "archive", ...archive },
      { stage: "summarise", fromTokens: 110_000, atShare: 0.75, ...ledgerNotes },
      { stage: "collapse", atShare: 0.9, ...ledgerNotes, tailTokens: 4_000 },
    ],
  },
  /** Cheaper, and a little more forgetful. */
  lean: {
    name: "lean",
    recall: true,
    steps: [
      shape,
      { stage: "idle", atTokens: 25_000, ...leanNotes },
      { stage: "settle", ...leanNotes },
      { stage: "archive", ...archive, age: 5, smallAge: 10, minTokens: 80, tailTokens: 4_000 },
      { stage: "summarise", fromTokens: 50_000, atShare: 0.75, ...leanNotes },
      { stage: "collapse", atShare: 0.9, ...leanNotes, tailTokens: 4_000 },
    ],
  },
  /** CoreCoder's: snip at half, summarise at 70 %, start over at 90 %. */
  "three-layer": {
    name: "three-layer",
    recall: false,
    steps: [
      { stage: "snip-lines", atShare: 0.5, minCharacters: 1_500, minLines: 6, keepLines: 3 },
      { stage: "keep-last", atShare: 0.7, minMessages: 10, keep: 8, ...threeLayerSummary },
      { stage: "keep-last", atShare: 0.9, minMessages: 4, keep: 4, ...threeLayerSummary },
    ],
  },
  /** The compression harness's: clear on every call, and one summary of everything at 50,000 tokens. */
  "micro-auto": {
    name: "micro-auto",
    recall: false,
    steps: [
      { stage: "clear-consumed", keep: 3, minCharacters: 100, except: ["read_file", "Read"] },
      { stage: "keep-last", atTokens: 50_000, minMessages: 4, keep: 0, ...tailSummary },
    ],
  },
  /** learn-claude-code's: a budget for the newest round, 50 messages at most, three results at most, a summary at its limit. */
  "four-layer": {
    name: "four-layer",
    recall: false,
    steps: [
      { stage: "preview-large", roundCharacters: 200_000, eachCharacters: 30_000, previewCharacters: 2_000 },
      { stage: "drop-middle", maxMessages: 50, head: 3, tail: 47 },
      { stage: "clear-consumed", keep: 3, minCharacters: 120, except: [] },
      { stage: "keep-last", atTokens: 50_000, minMessages: 4, keep: 5, ...tailSummary },
    ],
  },
  /** Everything, always. */
  none: { name: "none", recall: false, steps: [] },
} as const satisfies Record<string, Policy>;

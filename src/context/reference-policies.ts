import type { Policy } from "./policies.ts";

/** Not offered to anyone: what widely used agents do, to compare with. */
export const referencePolicies: readonly Policy[] = [
  /** Everything is kept until the window is nearly full, then one summary replaces it. */
  {
    name: "late-summary",
    recall: false,
    steps: [
      {
        stage: "summarise",
        atTokens: 167_000,
        atShare: 0.92,
        tailTokens: 4_000,
        userTokens: 2_000,
        proseTokens: 0,
        indexTokens: 0,
      },
    ],
  },
];

import type { Receipt } from "../contracts/context.ts";

/** `context 112k → 41k, 38 results archived, about $0.60 saved over the next 20 calls`: one quiet line. */
export function receiptLine({ tokensBefore, tokensAfter, archived, folded, savesUsd }: Receipt): string {
  return [
    `context ${thousands(tokensBefore)} → ${thousands(tokensAfter)}`,
    ...(archived.length > 0 ? [`${archived.length} results archived`] : []),
    ...(folded > 0 ? [`${folded} messages folded into a summary`] : []),
    ...(savesUsd >= 0.01 ? [`about $${savesUsd.toFixed(2)} saved over the next 20 calls`] : []),
  ].join(", ");
}

export function thousands(tokens: number): string {
  return tokens < 1_000 ? String(tokens) : `${(tokens / 1_000).toFixed(tokens < 10_000 ? 1 : 0)}k`;
}

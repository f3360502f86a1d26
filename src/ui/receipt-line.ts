import type { Receipt } from "../contracts/context.ts";

/** `context 112k → 41k, $0.07 spent, about $0.60 saved, 38 results archived`: one quiet line. Saved is over the next twenty calls. */
export function receiptLine({ tokensBefore, tokensAfter, archived, folded, spentUsd, savesUsd }: Receipt): string {
  const items = (count: number, one: string) => `${count} ${one}${count === 1 ? "" : "s"}`;
  return [
    `context ${thousands(tokensBefore)} → ${thousands(tokensAfter)}`,
    ...(spentUsd >= 0.005 ? [`$${spentUsd.toFixed(2)} spent`] : []),
    ...(savesUsd >= 0.005 ? [`about $${savesUsd.toFixed(2)} saved`] : []),
    ...(archived.length > 0 ? [`${items(archived.length, "result")} archived`] : []),
    ...(folded > 0 ? [`${items(folded, "message")} folded into a summary`] : []),
  ].join(", ");
}

export function thousands(tokens: number): string {
  return tokens < 1_000 ? String(tokens) : `${(tokens / 1_000).toFixed(tokens < 10_000 ? 1 : 0)}k`;
}

import type { Receipt, WindowContents } from "../contracts/context.ts";
import { receiptLine, thousands } from "./receipt-line.ts";

const width = 40;

/** The window as bars, one a kind of content, with what is free and where the next fold comes; below it the last receipts. */
export function windowPicture(
  { parts, windowTokens, foldAtTokens }: WindowContents,
  receipts: readonly Receipt[],
): string {
  const used = parts.reduce((sum, part) => sum + part.tokens, 0);
  const rows = [...parts, { name: "free", tokens: Math.max(windowTokens - used, 0) }].map(({ name, tokens }) => {
    const share = tokens / Math.max(windowTokens, 1);
    const bar = (name === "free" ? "·" : "█").repeat(Math.max(tokens > 0 ? 1 : 0, Math.round(share * width)));
    return `  ${name.padEnd(26)} ${thousands(tokens).padStart(6)} ${`${Math.round(share * 100)} %`.padStart(5)}  ${bar}`;
  });
  const fold = `  ${thousands(used)} of ${thousands(windowTokens)} tokens; the next fold comes at ${thousands(Math.round(foldAtTokens))}`;
  const done = receipts.slice(-5).map((receipt) => `  ${receiptLine(receipt)}`);
  return `${[...rows, fold, ...(done.length > 0 ? ["", "  Last receipts", ...done] : [])].join("\n")}\n`;
}

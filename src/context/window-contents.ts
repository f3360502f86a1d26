import type { WindowContents } from "../contracts/context.ts";
import type { ViewItem } from "./view.ts";

export type ContentsInput = {
  readonly items: readonly ViewItem[];
  readonly fixedTokens: number;
  readonly scaled: (estimatedTokens: number) => number;
};

/** What fills the window, by kind, largest first. */
export function windowContents({ items, fixedTokens, scaled }: ContentsInput): WindowContents["parts"] {
  const sizes = new Map([["system prompt and tools", fixedTokens]]);
  for (const { message, tokens } of items) {
    const result = message.parts.find((part) => part.type === "tool-result");
    const name = message.synthetic
      ? "summary"
      : result
        ? `results of ${result.tool}`
        : message.role === "user"
          ? "your messages"
          : "the agent's messages";
    sizes.set(name, (sizes.get(name) ?? 0) + tokens);
  }
  return [...sizes].map(([name, size]) => ({ name, tokens: scaled(size) })).toSorted((a, b) => b.tokens - a.tokens);
}

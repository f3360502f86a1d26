import type { ParsedScript, SyntaxNode } from "unbash";

/** The part of unbash that is used; loaded on first use, because most starts of the program never judge a command. */
export type ShellParser = {
  parse(source: string): ParsedScript;
  forEachChild(node: SyntaxNode, visit: (child: SyntaxNode) => void): void;
};

let loaded: ShellParser | undefined;

export async function loadShellParser(): Promise<ShellParser> {
  loaded ??= await import("unbash");
  return loaded;
}

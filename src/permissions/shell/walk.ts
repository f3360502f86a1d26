import type { CommandNode, CompoundList, Function as FunctionNode, SyntaxNode } from "unbash";
import type { Finding } from "./finding.ts";
import type { Judge, Stream } from "./judge.ts";
import type { Report } from "./report.ts";
import type { Flow, ShellState } from "./shell-state.ts";

/** Where in the execution of a script the walk stands. */
export type Position = { readonly state: ShellState; readonly stdin: Stream };

/** What walking over a command yields: where the shell stands then, and what the next one in a pipeline gets. */
export type Walked = { readonly flow: Flow; readonly output: () => Stream };

export const noOutput = (): Stream => ({});

export type NodeOf<Type extends CommandNode["type"]> = Extract<CommandNode, { type: Type }>;

/** The walk through one script, as the judges of its parts see it. */
export interface Walk {
  readonly judge: Judge;
  readonly report: Report;
  /** Judges the substitutions in a node and says what its expansions could do. */
  inspect(node: SyntaxNode, state: ShellState): Finding;
  /** The text of a node, as written. */
  textOf(node: { readonly pos: number; readonly end: number }): string;
  list(body: CompoundList, at: Position): Flow;
  command(node: CommandNode, at: Position): Walked;
  isForkBomb(definition: FunctionNode): boolean;
}

/** Adds what was found in a part that is no command, when there is something to say about it. */
export function report(walk: Walk, node: SyntaxNode, finding: Finding): void {
  if (finding.verdict !== "allow") walk.report.add({ text: walk.textOf(node), from: node.pos, finding });
}

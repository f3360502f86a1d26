import type { ParameterExpansionPart, ParsedScript, SyntaxNode } from "unbash";
import { asks, type Finding, reads, worse } from "./finding.ts";
import { judgeArithmetic } from "./judge-arithmetic.ts";
import type { ShellParser } from "./parser.ts";
import type { ShellState } from "./shell-state.ts";
import { isHarmlessToShow } from "./variables.ts";

const nothing = reads("no expansions");

export type Inspection = {
  readonly parser: ShellParser;
  readonly state: ShellState;
  /** The text that positions count in. */
  readonly source: string;
  /** Called for the script of every substitution. */
  onScript(script: ParsedScript): void;
};

/** Finds what expanding `node` would run, and the expansions that hide running something. */
export function inspectExpansions(node: SyntaxNode, inspection: Inspection): Finding {
  let finding = nothing;
  const visit = (child: SyntaxNode) => {
    const own = judgeExpansion(child, inspection);
    if (own) finding = worse(finding, own);
    if (child.type === "Script") inspection.onScript(child);
    else inspection.parser.forEachChild(child, visit);
  };
  visit(node);
  return finding;
}

function judgeExpansion(node: SyntaxNode, { state, source }: Inspection): Finding | undefined {
  switch (node.type) {
    case "SimpleExpansion":
      return judgeVariable(node.text.slice(1), state);
    case "ParameterExpansion":
      return judgeParameter(node, state);
    case "ArithmeticExpansion":
      return node.expression
        ? judgeArithmetic(node.expression, state).finding
        : asks("arithmetic that is not understood");
    case "CommandExpansion":
    case "ArithmeticCommandExpansion":
      if (node.script === undefined) return asks("a substitution that is not understood");
      return node.text.startsWith("${") ? asks("a substitution that changes the shell itself") : undefined;
    case "ProcessSubstitution":
      if (node.script === undefined) return asks("a substitution that is not understood");
      if (!standsAlone(node, source)) return asks("a substitution is part of a longer word");
      return node.operator === ">" ? asks("it writes into another command") : undefined;
    case "ExtendedGlob":
      return asks("an extended pattern, which depends on the shell's settings");
    default:
      return undefined;
  }
}

/** To bash `<(…)x` is one word, to the parser two. */
function standsAlone({ pos, end }: SyntaxNode, source: string): boolean {
  return /^[\s(;&|]?$/.test(source.charAt(pos - 1)) && /^[\s);&|<>]?$/.test(source.charAt(end));
}

function judgeVariable(name: string, state: ShellState): Finding | undefined {
  if (isHarmlessToShow(name) || state.variables.has(name)) return undefined;
  return asks(`it uses $${name} of the environment, which may hold a secret`);
}

function judgeParameter(node: ParameterExpansionPart, state: ShellState): Finding | undefined {
  const { prefix, index, operation, text } = node;
  if (prefix === "!") return asks(`${text} looks a variable up by a computed name`);
  if (index !== undefined && !/^(\d+|[@*])$/.test(index.text)) return asks(`${text} computes a subscript`);
  switch (operation?.type) {
    case "Transform":
    case "Names":
    case "Unknown":
      return asks(`${text} can run what a variable holds`);
    case "Default":
      if (operation.operator.includes("=")) return asks(`${text} sets a variable`);
      break;
    case "Slice": {
      const bounds = [operation.offset, ...(operation.length ? [operation.length] : [])];
      if (!bounds.every((bound) => /^\s*-?\d+\s*$/.test(bound.text))) return asks(`${text} computes a position`);
    }
  }
  return judgeVariable(node.parameter, state);
}

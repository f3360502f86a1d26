import type { Function as FunctionNode, SyntaxNode } from "unbash";
import type { ShellParser } from "./parser.ts";

/** What a function calls, and which of that it calls twice at once or leaves running. */
type Calls = { readonly all: ReadonlySet<string>; readonly multiplied: ReadonlySet<string> };

/** More than that are asked about like any definition, but not compared with each other. */
const maximumFunctions = 24;

/** Remembers the functions of a command and says when one of them multiplies itself, directly or through others. */
export function createForkBombDetector(parser: ShellParser): (definition: FunctionNode) => boolean {
  const functions = new Map<string, Calls>();
  return (definition) => {
    if (functions.size >= maximumFunctions) return false;
    functions.set(definition.name.value, collectCalls(definition, parser));
    return [...functions].some(([name, { multiplied }]) =>
      [...multiplied].some((other) => reaches(other, name, functions)),
    );
  };
}

function reaches(from: string, target: string, functions: ReadonlyMap<string, Calls>): boolean {
  const seen = new Set<string>();
  const pending = [from];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (name === target) return true;
    if (seen.has(name)) continue;
    seen.add(name);
    pending.push(...(functions.get(name)?.all ?? []));
  }
  return false;
}

function collectCalls(definition: FunctionNode, parser: ShellParser): Calls {
  const all = new Set<string>();
  const multiplied = new Set<string>();

  function visit(node: SyntaxNode, isDetached: boolean): void {
    if (node.type === "Command" && node.name) {
      all.add(node.name.value);
      if (isDetached) multiplied.add(node.name.value);
    }
    if (node.type === "Pipeline") {
      const names = node.commands.map((command) => (command.type === "Command" ? command.name?.value : undefined));
      for (const name of names) if (name && names.indexOf(name) !== names.lastIndexOf(name)) multiplied.add(name);
    }
    const detaches = isDetached || (node.type === "Statement" && node.background === true);
    parser.forEachChild(node, (child) => visit(child, detaches));
  }

  visit(definition.body, false);
  return { all, multiplied };
}

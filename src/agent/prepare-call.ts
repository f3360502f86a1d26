import { messageOf } from "../contracts/errors.ts";
import type { ToolCallPart } from "../contracts/message.ts";
import type { AnyTool, Concurrency, Tool } from "../contracts/tool.ts";
import { describeShape } from "./describe-shape.ts";

export type Prepared =
  | { readonly ready: true; readonly tool: Tool<unknown>; readonly input: unknown; readonly concurrency: Concurrency }
  | { readonly ready: false; readonly problem: string };

export type KnownTools = {
  readonly findTool: (name: string) => Promise<AnyTool | undefined>;
  /** Those the model was told of. */
  readonly toolNames: readonly string[];
};

/** A call is checked before anything happens: does the tool exist, were the arguments readable, do they fit? */
export async function prepare(call: ToolCallPart, known: KnownTools): Promise<Prepared> {
  let tool: Tool<unknown> | undefined;
  try {
    tool = (await known.findTool(call.tool)) as Tool<unknown> | undefined;
  } catch (error) {
    return { ready: false, problem: `${call.tool} cannot be used: ${messageOf(error)}` };
  }
  if (tool === undefined) {
    const problem = `There is no tool named "${call.tool}". The tools are: ${known.toolNames.join(", ")}.`;
    return { ready: false, problem };
  }
  if (call.input === undefined) {
    const received =
      call.rawInput.length > 1_000
        ? `${call.rawInput.slice(0, 1_000)}… (${call.rawInput.length} characters)`
        : call.rawInput;
    return {
      ready: false,
      problem: `The arguments of ${call.tool} are invalid (not a JSON object), so it was not run. Received: ${received}\nExpected: ${describeShape(tool.input.json)}`,
    };
  }
  const problems = tool.input.problems(call.input);
  if (problems.length > 0) {
    return {
      ready: false,
      problem: `${call.tool} was not run: ${problems.join("; ")}.\nExpected: ${describeShape(tool.input.json)}`,
    };
  }
  const input = withoutNulls(call.input);
  const other = tool.standsFor?.(input);
  if (other !== undefined) return prepare({ ...call, tool: other.tool, input: other.input }, known);
  return { ready: true, tool, input, concurrency: (await tool.concurrency?.(input)) ?? concurrencyOf(tool) };
}

/** Models write null for "left out". */
function withoutNulls(input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
}

export function concurrencyOf(tool: Tool<unknown>): Concurrency {
  return tool.effect === "read" ? "parallel-read" : tool.effect === "none" ? "parallel" : "alone";
}

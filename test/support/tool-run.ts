import { createWorkspace } from "../../src/agent/workspace.ts";
import type { AnyTool, Tool, ToolContext, ToolOutput } from "../../src/contracts/tool.ts";
import type { Workspace } from "../../src/contracts/workspace.ts";

/** A workspace as a fresh agent has it in a folder. */
export function workspaceAt(root: string, more: Partial<Workspace> = {}): Workspace {
  return { ...createWorkspace(root), ...more };
}

/** Calls a tool directly, as the loop would after parsing and permission. */
export function runTool(
  tool: AnyTool,
  input: Record<string, unknown>,
  workspace: Workspace,
  signal = new AbortController().signal,
): Promise<ToolOutput> {
  const context: ToolContext = {
    callId: "call-1",
    handle: "#1",
    workspace,
    signal,
    progress: () => {},
    emit: () => {},
    keep: () => undefined,
    keepFile: (path) => path,
    recall: () => ({ text: "", isFound: false }),
    requestCompaction: () => undefined,
    outputFolder: () => undefined,
  };
  return (tool as unknown as Tool<unknown>).run(input, context);
}

/** The text of the error a call ends with; fails when it succeeds. */
export async function errorOf(call: Promise<ToolOutput>): Promise<string> {
  const outcome = await call.then(
    (output) => ({ text: output.text }),
    (error: unknown) => ({ error }),
  );
  if (!("error" in outcome)) throw new Error(`The call should have failed, but answered: ${outcome.text}`);
  if ((outcome.error as { kind?: unknown }).kind !== "tool") throw outcome.error;
  return (outcome.error as Error).message;
}

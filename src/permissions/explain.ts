import type { Verdict } from "../contracts/permission.ts";
import type { CommandScope } from "./command-judge.ts";
import { createPolicy, type PolicyOptions } from "./policy.ts";

export type Explanation = {
  readonly command: string;
  readonly decision: Verdict;
  readonly reason: string;
  readonly segments: readonly { readonly text: string; readonly decision: Verdict; readonly reason: string }[];
};

export type ExplainOptions = PolicyOptions & { readonly scope: Pick<CommandScope, "cwd" | "root" | "writableRoots"> };

/** For `corecoder permissions explain`: a line with a JSON string or `{"command"}` in, what would happen with that command out. */
export function createExplainer(options: ExplainOptions): (line: string) => Promise<Explanation> {
  const policy = createPolicy(options);
  return async (line) => {
    const command = commandIn(line);
    if (command === undefined) {
      return {
        command: line,
        decision: "ask",
        reason: 'the line is neither a JSON string nor {"command": "…"}',
        segments: [],
      };
    }
    const request = {
      tool: "bash",
      effect: "execute",
      view: { label: "$", title: command, command },
      ...options.scope,
    } as const;
    const { verdict, because, segments } = await policy.explain(request);
    return {
      command,
      decision: verdict,
      reason: because,
      segments: segments.map(({ text, decision, reason }) => ({ text, decision, reason })),
    };
  };
}

function commandIn(line: string): string | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === "string") return value;
    const command: unknown =
      typeof value === "object" && value !== null && "command" in value ? value.command : undefined;
    return typeof command === "string" ? command : undefined;
  } catch {
    return undefined;
  }
}

import type { AgentKind } from "../contracts/subagent.ts";

/** Looks around for little money: it reads only, thinks little, and carries no more prompt than that takes. */
export const exploreKind: AgentKind = {
  name: "explore",
  description: "only reads; cheap",
  tools: ["read_file", "glob", "grep", "bash"],
  effort: "low",
  isReadOnly: true,
  prompt: `You find things out in a code base for another agent, which sees only your last message.
Search wide first, then read only what matters; run independent calls together. You cannot change anything.
End with a short report: the answer first, then the evidence as path:line with the few lines that matter. Say what you did not find.`,
};

/** "general" is its parent again, "fork" its parent's conversation: they are made from the parent and have no description of their own. */
export const builtInNames: ReadonlySet<string> = new Set(["general", "fork", exploreKind.name]);

import type { PermissionDecision, PermissionPolicy } from "../contracts/permission.ts";

const strictness = { allow: 0, ask: 1, deny: 2 } as const;

/** What both policies let happen; what the person allows for good they allow to the first. */
export function tightenPolicy(policy: PermissionPolicy, by: PermissionPolicy): PermissionPolicy {
  return {
    ...policy,
    get mode() {
      return policy.mode;
    },
    allow: (rule, lasting) => policy.allow(rule, lasting),
    async decide(request): Promise<PermissionDecision> {
      const own = await policy.decide(request);
      if (own.verdict === "deny") return own;
      const other = await by.decide(request);
      if (strictness[other.verdict] <= strictness[own.verdict]) return own;
      if (other.verdict === "ask") return { ...own, verdict: "ask", because: other.because };
      return { verdict: "deny", because: "this agent only reads; report what should be done instead" };
    },
  };
}

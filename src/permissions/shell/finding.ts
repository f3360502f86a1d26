import type { Verdict } from "../../contracts/permission.ts";

/** What a part of a command does at most: reads, writes inside the workspace, anything else, or destroys work there that nothing else holds. */
export type Effect = "read" | "write-inside" | "other" | "loses-work";

export type Finding = {
  readonly verdict: Verdict;
  readonly reason: string;
  readonly effect: Effect;
  /** The part mentions a file that likely holds a secret. */
  readonly secret?: true;
};

const severity: Record<Verdict, number> = { allow: 0, ask: 1, deny: 2 };
const reach: Record<Effect, number> = { read: 0, "write-inside": 1, other: 2, "loses-work": 3 };

/** Reads only; runs unasked. */
export function reads(reason: string): Finding {
  return { verdict: "allow", reason, effect: "read" };
}

/** Reads something a person should know about. */
export function asksToReadSecret(reason: string): Finding {
  return { verdict: "ask", reason, effect: "read", secret: true };
}

/** Writes, but only inside the workspace and to nothing that is executed or trusted. */
export function asksToWriteInside(reason: string): Finding {
  return { verdict: "ask", reason, effect: "write-inside" };
}

export function asks(reason: string): Finding {
  return { verdict: "ask", reason, effect: "other" };
}

/** Clears the workspace, or throws away what is not committed: a sandbox does not help against it. */
export function asksToLoseWork(reason: string): Finding {
  return { verdict: "ask", reason, effect: "loses-work" };
}

export function denies(reason: string): Finding {
  return { verdict: "deny", reason, effect: "other" };
}

/** Both happen: the worse verdict and its reason, the wider effect. */
export function worse(a: Finding, b: Finding): Finding {
  if (b.verdict === "allow" && b.effect === "read" && !b.secret) return a;
  const bLeads =
    severity[b.verdict] > severity[a.verdict] ||
    (severity[b.verdict] === severity[a.verdict] && reach[b.effect] > reach[a.effect]);
  const [lead, other] = bLeads ? [b, a] : [a, b];
  const secret = lead.secret ?? other.secret;
  const wider = reach[other.effect] > reach[lead.effect] ? other.effect : lead.effect;
  // A secret copied to a file of the workspace is no edit.
  const effect = secret && wider === "write-inside" ? "other" : wider;
  if (effect === lead.effect && secret === lead.secret) return lead;
  return { verdict: lead.verdict, reason: lead.reason, effect, ...(secret ? { secret } : {}) };
}

/** `finding`, but never better than asking. */
export function atLeastAsk(finding: Finding, reason: string): Finding {
  return finding.verdict === "allow" ? { ...asks(reason), ...(finding.secret ? { secret: true } : {}) } : finding;
}

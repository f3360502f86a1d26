import type { Verdict } from "../contracts/permission.ts";
import { parseRule, splitRules } from "./rules.ts";

/** Which hosts a confined command may reach, by rules such as `network(registry.example.org)` or `network(*.example.org:443)`. */
export interface HostRules {
  /** Undefined when no rule says anything. A name that is no plain host name is refused. */
  decide(host: string, port: number): { readonly verdict: Verdict; readonly rule: string } | undefined;
}

type Pattern = { readonly text: string; readonly host: string; readonly port: number | undefined };

type Lists = Readonly<Record<Verdict, readonly string[]>>;

/** Undefined when no rule could ever let a command reach a host. */
export function createHostRules(lists: Lists): HostRules | undefined {
  return [...lists.allow, ...lists.ask].some((text) => patternsOf(text).length > 0) ? hostRules(lists) : undefined;
}

/** Does a rule allow this very host, not only by a pattern? */
export function isNamedHost({ allow }: Pick<Lists, "allow">, name: string, port: number): boolean {
  const host = plainHost(name);
  return allow.flatMap(patternsOf).some((pattern) => pattern.host === host && (pattern.port ?? port) === port);
}

export function hostRules(lists: Lists): HostRules {
  const patterns = {
    deny: lists.deny.flatMap(patternsOf),
    ask: lists.ask.flatMap(patternsOf),
    allow: lists.allow.flatMap(patternsOf),
  };
  return {
    decide(given, port) {
      const host = plainHost(given);
      if (host === undefined) return { verdict: "deny", rule: "it is no plain host name" };
      for (const verdict of ["deny", "ask", "allow"] as const) {
        const found = patterns[verdict].find((pattern) => matches(pattern, host, port));
        if (found) return { verdict, rule: found.text };
      }
      return undefined;
    },
  };
}

function patternsOf(text: string): readonly Pattern[] {
  return splitRules(text).flatMap((part) => {
    const parsed = parseRule(part);
    if (!("rule" in parsed) || parsed.rule.tool.toLowerCase() !== "network") return [];
    const [, host = "*", port] = /^(.*?)(?::(\d{1,5}|\*))?$/.exec(parsed.rule.argument ?? "*") ?? [];
    return [
      {
        text: parsed.rule.text,
        host: host.toLowerCase(),
        port: port === undefined || port === "*" ? undefined : Number(port),
      },
    ];
  });
}

/** Letters, digits, hyphens and dots: nothing that a resolver and a comparison could read differently. */
function plainHost(given: string): string | undefined {
  const host = given.toLowerCase();
  return /^(?=.{1,253}$)[a-z\d_]([a-z\d_-]*[a-z\d_])?(\.[a-z\d_]([a-z\d_-]*[a-z\d_])?)*$/.test(host) ? host : undefined;
}

/** `*.example.org` is for what is below example.org, not for itself; `*` alone is for every host. */
function matches(pattern: Pattern, host: string, port: number): boolean {
  if (pattern.port !== undefined && pattern.port !== port) return false;
  if (pattern.host === "*") return true;
  return pattern.host.startsWith("*.")
    ? host.endsWith(pattern.host.slice(1)) && host.length > pattern.host.length - 1
    : host === pattern.host;
}

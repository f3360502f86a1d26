import type { CallIdRule } from "./protocol.ts";

/** What every vendor accepts as the name of a tool. */
const toolName = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;

/** Models make up tools with names that no vendor takes back. */
export function validToolName(name: string): string {
  if (toolName.test(name)) return name;
  const cleaned = name.replace(/[^a-zA-Z0-9_-]/g, "_").replace(/^[^a-zA-Z_]/, "_$&");
  return cleaned.slice(0, 64) || "unknown";
}

/** The same name for the same call in every request: another vendor's id that does not fit becomes one made from it. */
export function validCallId(id: string, { pattern, longest }: CallIdRule, taken: { has(id: string): boolean }): string {
  if (id.length <= longest && pattern.test(id) && !taken.has(id)) return id;
  for (let turn = 0; ; turn++) {
    const made = `call${hashOf(turn === 0 ? id : `${id}#${turn}`)}`.slice(-longest);
    if (!taken.has(made)) return made;
  }
}

/** Eleven letters and digits. Not secret, and no reason to load node:crypto. */
function hashOf(text: string): string {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return (4294967296 * (2097151 & low) + (high >>> 0)).toString(36).padStart(11, "0");
}

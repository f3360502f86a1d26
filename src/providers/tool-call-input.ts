import { randomName } from "../platform/random-name.ts";

/** The arguments as an object, nothing at all meaning none; undefined for anything else. Never repaired: a guessed call is worse than a refused one. */
export function parseArguments(raw: string): Readonly<Record<string, unknown>> | undefined {
  if (raw.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(raw);
    return value !== null && typeof value === "object" && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Every call of an answer needs an id of its own; missing and repeated ones are replaced. */
export function createCallIds(): { claim(id: string): string } {
  const taken = new Set<string>();
  return {
    claim(id) {
      const unique = id !== "" && !taken.has(id) ? id : `call_${randomName(16)}`;
      taken.add(unique);
      return unique;
    },
  };
}

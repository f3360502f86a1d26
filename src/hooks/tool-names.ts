import { foreignToolNames } from "../contracts/foreign-tool-names.ts";

/**
 * The name of the tool as the matcher spells it, undefined when it is for others. A hook without a matcher, or with one for our names, is told ours.
 */
export function nameForMatcher(matcher: string | undefined, tool: string): string | undefined {
  if (matcher === undefined) return tool;
  const pattern = new RegExp(`^(?:${matcher})$`);
  return [tool, foreignToolNames[tool]].find((name) => name !== undefined && pattern.test(name));
}

import type { Environment } from "./load.ts";

/** What commands inherit: everything but keys to models. A variable that merely contains the key in use goes too. */
export function childEnvironment(
  environment: Environment,
  keyVariables: readonly string[],
  apiKey: string,
): Record<string, string> {
  const hidden = new Set(["CORECODER_API_KEY", ...keyVariables]);
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined || hidden.has(name) || (apiKey !== "" && value.includes(apiKey))) continue;
    kept[name] = value;
  }
  return kept;
}

import type { HookDefinition } from "../contracts/hook.ts";
import type { McpServer } from "../contracts/mcp-server.ts";
import type { ProviderSettingsTable } from "../contracts/model-settings.ts";
import { type RuleLists, ruleLists } from "../contracts/permission.ts";
import type { LoadedSettings } from "./load.ts";
import { serverLine } from "./server-settings.ts";
import { type Setting, settingsTable } from "./settings-table.ts";

export type DescribedSetting = { readonly key: string; readonly value: unknown; readonly origin: string };

/** Effective settings with the origin of each value, secrets masked. */
export function describeSettings({
  settings,
  origins,
}: Pick<LoadedSettings, "settings" | "origins">): DescribedSetting[] {
  return (settingsTable as readonly (Setting & { key: keyof typeof settings })[]).map((setting) => {
    const value = settings[setting.key];
    const origin = origins.get(setting.key);
    const from =
      origin === undefined
        ? "not set"
        : origin.file && origin.file !== origin.name
          ? `${origin.name} in ${origin.file}`
          : origin.name;
    return {
      key: setting.key,
      value: value === undefined ? null : setting.secret ? mask(String(value)) : shortened(setting, value),
      origin: from,
    };
  });
}

/** Rules and hooks as one text each. */
function shortened({ key, kind, masked }: Setting, value: unknown): unknown {
  // given as JSON they may hold secrets
  if (key === "mcpConfig") return (value as readonly string[]).map((text) => (/^\s*\{/.test(text) ? "{…}" : text));
  if (masked) return String(value).replace(/^((?:[a-z][a-z0-9+.-]*:\/\/)?[^:/@]*):.*@/i, "$1:********@");
  if (kind === "hooks")
    return (value as readonly HookDefinition[]).map(
      ({ event, matcher, command }) => `${event}${matcher ? ` ${matcher}` : ""}: ${command}`,
    );
  if (kind === "servers")
    return (value as readonly McpServer[]).map((server) => `${server.name}: ${serverLine(server)}`);
  if (kind === "providers") return withoutHeaderValues(value as ProviderSettingsTable);
  if (kind !== "rules") return value;
  return Object.fromEntries(ruleLists.map((list) => [list, (value as RuleLists)[list].map(({ rule }) => rule)]));
}

/** Headers carry keys. */
function withoutHeaderValues(table: ProviderSettingsTable): ProviderSettingsTable {
  return Object.fromEntries(
    Object.entries(table).map(([name, { headers, ...rest }]) => [
      name,
      headers === undefined
        ? rest
        : { ...rest, headers: Object.fromEntries(Object.keys(headers).map((header) => [header, "********"])) },
    ]),
  );
}

/** Enough to recognise a key by, too little to use it. */
export function mask(secret: string): string {
  return secret.length < 12 ? "********" : `********${secret.slice(-4)}`;
}

export function settingsTableText(described: readonly DescribedSetting[]): string {
  const shown = described.map(
    ({ key, value, origin }) =>
      [key, value === null ? "" : typeof value === "string" ? value : JSON.stringify(value), origin] as const,
  );
  const width = (column: 0 | 1) => Math.min(Math.max(...shown.map((row) => row[column].length)), 48);
  return shown
    .map(([key, value, origin]) => `${key.padEnd(width(0))}  ${value.padEnd(width(1))}  ${origin}`.trimEnd())
    .join("\n");
}

import { homedir } from "node:os";
import { join } from "node:path";
import type { HookDefinition } from "../contracts/hook.ts";
import type { McpServer } from "../contracts/mcp-server.ts";
import { filesNamedIn, hashOfFile } from "../platform/named-files.ts";
import { displayPath, expandPath, isInside, realOrSame } from "../platform/paths.ts";
import { readIfThere, replacePrivateFile } from "../platform/private-files.ts";
import { sha256 } from "../platform/sha256.ts";
import type { Ignored, Layer } from "./layers.ts";
import { settingFor } from "./settings-table.ts";
import { type SkillWish, skillWishes } from "./skill-trust.ts";

/** What trust covers, each with the hash of what it is now. */
type Coverage = Readonly<Record<string, string>>;

export type ProjectTrust = {
  /** "changed": trusted once, but what that covered is not what is there now. */
  readonly state: "not-needed" | "trusted" | "untrusted" | "changed";
  readonly folder: string;
  /** What counts only with trust. */
  readonly wants: readonly Ignored[];
  /** Its skills that bring scripts or want tools allowed; without trust only their text counts. */
  readonly skills: readonly SkillWish[];
  /** Names of what differs from what was trusted. */
  readonly changed: readonly string[];
  /** By `trustedFolders` in the person's own settings, whatever the project's files say. */
  readonly isListed: boolean;
  /** As it was when first asked for: what a person was shown is what is remembered. */
  coverage(): Coverage;
};

export type TrustQuestion = {
  /** By its real path. */
  readonly folder: string;
  readonly stateFolder: string;
  readonly listed: readonly string[];
  /** What the project's files say. */
  readonly layers: readonly Layer[];
  readonly ignored: readonly Ignored[];
};

/** Nothing is read or hashed unless the project wants something that needs trust, and this folder was trusted once. */
export function judgeTrust({ folder, stateFolder, listed, layers, ignored }: TrustQuestion): ProjectTrust {
  let known: Coverage | undefined;
  // in the home folder they are the person's own
  const skills = folder === realOrSame(homedir()) ? [] : skillWishes(folder);
  const coverage = () => (known ??= coverageOf(folder, layers, skills));
  const answer = (state: ProjectTrust["state"], changed: readonly string[] = []): ProjectTrust => {
    const isListed = listed.some((named) => isInside(folder, realOrSame(expandPath(named, homedir()))));
    return { state: isListed ? "trusted" : state, folder, wants: ignored, skills, changed, isListed, coverage };
  };
  if (ignored.length === 0 && skills.length === 0) return answer("not-needed");
  const trusted = trustedCoverage(stateFolder, folder);
  if (trusted === undefined) return answer("untrusted");
  const now = coverage();
  const changed = [...new Set([...Object.keys(now), ...Object.keys(trusted)])].filter(
    (name) => now[name] !== trusted[name],
  );
  return changed.length === 0 ? answer("trusted") : answer("changed", changed);
}

/** Only a project's settings are worth a question at the start; an `.env` alone is passed over with a warning. */
export function asksForTrust({ state, wants }: ProjectTrust): boolean {
  return (state === "untrusted" || state === "changed") && wants.some(({ origin }) => origin.layer !== ".env");
}

/** The settings files and `.mcp.json`, the scripts inside the folder that hooks, servers and skills bring, and what an `.env` says about keys and permissions. */
function coverageOf(folder: string, layers: readonly Layer[], skills: readonly SkillWish[]): Coverage {
  const parts = new Map<string, string>();
  const cover = (path: string) => parts.set(displayPath(path, folder), hashOfFile(path) ?? "missing");
  for (const layer of layers) {
    for (const [key, { value, origin }] of layer) {
      if (origin.layer !== ".env") cover(origin.file ?? origin.name);
      else if (settingFor(key)?.fromProject !== undefined)
        parts.set(`${key} in ${displayPath(origin.file ?? origin.name, folder)}`, sha256(Buffer.from(String(value))));
      for (const command of commandsOf(key, value)) filesNamedIn(command, folder).forEach(cover);
    }
  }
  for (const { files } of skills) files.forEach(cover);
  return Object.fromEntries([...parts].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** What a setting would have run. */
function commandsOf(key: string, value: unknown): readonly string[] {
  if (key === "hooks") return (value as readonly HookDefinition[]).map(({ command }) => command);
  if (key !== "mcpServers") return [];
  return (value as readonly McpServer[]).flatMap(({ connection }) =>
    connection.type === "stdio" ? [[connection.command, ...connection.args].join(" ")] : [],
  );
}

const ledgerOf = (stateFolder: string) => join(stateFolder, "trust.json");

/** A ledger that cannot be read trusts nobody. */
function readLedger(stateFolder: string): Record<string, { readonly covers: Coverage }> {
  try {
    const value: unknown = JSON.parse(readIfThere(ledgerOf(stateFolder)) ?? "{}");
    return value !== null && typeof value === "object" && !Array.isArray(value)
      ? (value as Record<string, { covers: Coverage }>)
      : {};
  } catch {
    return {};
  }
}

function trustedCoverage(stateFolder: string, folder: string): Coverage | undefined {
  const ledger = readLedger(stateFolder);
  const covers: unknown = Object.hasOwn(ledger, folder) ? ledger[folder]?.covers : undefined;
  return covers !== null && typeof covers === "object" ? (covers as Coverage) : undefined;
}

/** Kept outside the project, where its files cannot write. */
export function rememberTrust(stateFolder: string, folder: string, covers: Coverage): void {
  const ledger = { ...readLedger(stateFolder), [folder]: { covers, since: new Date().toISOString() } };
  replacePrivateFile(ledgerOf(stateFolder), `${JSON.stringify(ledger, null, 2)}\n`);
}

/** False when the folder was not trusted. */
export function forgetTrust(stateFolder: string, folder: string): boolean {
  const { [folder]: found, ...others } = readLedger(stateFolder);
  if (found !== undefined) replacePrivateFile(ledgerOf(stateFolder), `${JSON.stringify(others, null, 2)}\n`);
  return found !== undefined;
}

import type { ToolSchema } from "../contracts/provider.ts";
import { prefixChanges } from "../prompt/prefix-changes.ts";
import type { SavedSession } from "../session/read-session.ts";

type Prefix = { readonly system: string; readonly tools: readonly ToolSchema[]; readonly date: string };

type PrefixOptions = {
  readonly resumed?: SavedSession;
  readonly prefix?: "current" | "saved";
  readonly onNotice: (text: string) => void;
};

/** Every byte of the prefix is in the vendor's cache: a resumed session sends the one it was started with, unless something really changed. */
export function choosePrefix(
  { resumed, prefix, onNotice }: PrefixOptions,
  { current, instructions }: { readonly current: Prefix; readonly instructions: string },
): Prefix & { readonly isNew: boolean } {
  const saved = resumed?.prefix as Prefix | undefined;
  if (saved === undefined) return { ...current, isNew: true };
  const changed = prefixChanges(saved, { ...current, instructions });
  if (changed.length === 0) return { ...current, system: saved.system, isNew: false };
  const words = changed.join(" and ");
  if (prefix === "saved") {
    onNotice(`Since this session began ${words} changed; going on with what was.`);
    return { ...current, system: saved.system, tools: saved.tools, isNew: false };
  }
  const tokens = resumed?.record.messages.findLast((message) => message.usage)?.usage?.inputTokens ?? 0;
  onNotice(
    `Since this session began ${words} changed, so the vendor's cache of it cannot be used: about ${Math.round(tokens / 1000)}k tokens are read anew, once. --keep-prefix goes on with what was.`,
  );
  return { ...current, isNew: true };
}

import { loadSettings } from "../config/load.ts";
import type { FileChange } from "../contracts/file-change.ts";
import type { ModelSettingsTable } from "../contracts/model-settings.ts";
import type { ReadableSession } from "../contracts/saved-session.ts";
import type { ObjectStore } from "../platform/object-store.ts";
import { projectSlug } from "../platform/project-slug.ts";
import { chooseVendor } from "../providers/choose-vendor.ts";
import { createPriceOf, type PricedVendor } from "../providers/prices.ts";
import { readLog } from "../session/log/read-log.ts";
import { createReadable } from "../session/saved/readable-session.ts";
import { createDigest, type PriceOfCall } from "../session/saved/session-digest.ts";
import { indexSessions, type SessionIndex } from "../session/saved/session-index.ts";
import { projectFolderOf } from "../session/session-place.ts";
import { isDiff } from "../ui/diff-html.ts";
import { type ProgressOptions, progressBar } from "../ui/progress-bar.ts";
import type { SubcommandContext } from "./subcommand.ts";

/** What the commands over saved sessions share. */
export function openSavedSessions({ cwd, environment, parsed, output }: SubcommandContext) {
  const { settings, stateFolder, warnings } = loadSettings({ cwd, environment, options: parsed.settings });
  const priceOf = createPriceOfCall(settings.models);
  /** Reading many logs for the first time takes seconds: a person at a terminal sees how far it is. */
  function progress(word: string) {
    let bar: ReturnType<typeof progressBar> | undefined;
    const show: Pick<ProgressOptions, "isTerminal" | "write"> = { isTerminal: true, write: output.err };
    return {
      onRead(_done: number, total: number) {
        if (process.stderr.isTTY !== true || total < 20) return;
        bar ??= progressBar({ total, ...show });
        bar.step(word);
      },
      finish: () => bar?.finish(),
    };
  }
  async function index(scope: "here" | "everywhere"): Promise<SessionIndex> {
    const { onRead, finish } = progress("sessions read");
    const folder = `${stateFolder}/sessions/${projectSlug(cwd)}`;
    try {
      return await indexSessions({ stateFolder, priceOf, onRead, ...(scope === "here" ? { folder } : {}) });
    } finally {
      finish();
    }
  }
  return {
    settings,
    warnings,
    stateFolder,
    /** What is written to standard output: there colours follow that stream. */
    out: { ...output, color: output.color && (process.stdout.isTTY === true || Boolean(environment.FORCE_COLOR)) },
    width: process.stdout.columns ?? 1_000,
    index,
    progress,
    /** Throws as readLog does. Diffs of what calls did to files take time, and are made for who shows them. */
    async read(path: string, { diffs }: { diffs: "with" | "without" }): Promise<ReadableSession> {
      const id = path.replace(/^.*\//, "").replace(/\.jsonl$/, "");
      const readable = createReadable();
      let logBytes = 0;
      const digest = createDigest({ id, logBytes });
      for (const found of readLog(path)) {
        logBytes = found.offset + found.bytes;
        digest.take(found);
        readable.take(found);
      }
      const about = { ...(await digest.finishWithPrices(priceOf)), logBytes };
      const project = projectFolderOf(path).replace(/^.*\//, "");
      const undone = createDiffOf(`${stateFolder}/undo/${project}`, about.cwd ?? "/");
      return readable.finish({ about, priceOf, diffOf: diffs === "with" ? undone : async () => undefined });
    },
  };
}

/** From what was kept for undo; undefined where that is gone. */
function createDiffOf(folder: string, root: string) {
  let store: Promise<ObjectStore> | undefined;
  return async (changes: readonly FileChange[]): Promise<string | undefined> => {
    try {
      const { describeChanges } = await import("../undo/diff.ts");
      const { packsOf } = await import("../undo/layout.ts");
      store ??= import("../platform/object-store.ts").then(({ openObjectStore }) => openObjectStore(packsOf(folder)));
      const diff = await describeChanges(changes, { store: await store, root });
      return isDiff(diff) ? diff.trimEnd() : undefined;
    } catch {
      return undefined;
    }
  };
}

/** Prices by the vendor a call went to; the list is loaded when the first one is asked for. */
function createPriceOfCall(models: ModelSettingsTable | undefined): PriceOfCall {
  const lists = new Map<string, ReturnType<typeof createPriceOf>>();
  return async (model, usage, { provider, baseUrl }) => {
    const text = (value: unknown) => (typeof value === "string" ? value : undefined);
    const vendor = vendorOf(model, text(provider), text(baseUrl));
    const list = lists.get(vendor.name) ?? createPriceOf(() => vendor, models);
    lists.set(vendor.name, list);
    return list(model, usage);
  };
}

function vendorOf(model: string, provider: string | undefined, baseUrl: string | undefined): PricedVendor {
  try {
    return chooseVendor({ provider, model, baseUrl, keyVariable: undefined }).vendor;
  } catch {
    // a vendor that needs an address which was not remembered
    return { name: provider ?? "openai" };
  }
}

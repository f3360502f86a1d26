import { loadChecked, saveChecked } from "../platform/checked-file.ts";
import { type ObjectStore, openObjectStore } from "../platform/object-store.ts";
import { createStatCrew } from "../platform/stat-crew.ts";
import { packsOf, treeCacheOf } from "./layout.ts";
import { emptyTree, type LookResult, type LookTools, look, type Tree } from "./look.ts";
import type { PaceOptions } from "./pace.ts";
import { savedForm, treeFrom } from "./tree-cache.ts";

export type LookoutOptions = Pick<LookTools, "limits" | "excluded"> & { readonly folder: string };

/** Keeps what it saw from one look to the next, and from one session to the next. */
export type Lookout = {
  /** `tree` is another one than last time when there was nothing to compare with. */
  look(roots: readonly string[], pacing: PaceOptions): Promise<LookResult & { readonly tree: Tree }>;
  objects(): Promise<ObjectStore>;
  hasMuchToSave(): boolean;
  /** Saves what makes the next session's first look fast; never fails. */
  save(): Promise<void>;
  close(): Promise<void>;
};

/** Fewer entries can be read again. */
const muchToSave = 1_000;

export function createLookout({ folder, limits, excluded }: LookoutOptions): Lookout {
  const crew = createStatCrew();
  let store: Promise<ObjectStore> | undefined;
  let tree: Tree | undefined;

  function objects(): Promise<ObjectStore> {
    store ??= openObjectStore(packsOf(folder));
    return store;
  }

  async function save(): Promise<void> {
    if (tree === undefined || tree.unsaved === 0) return;
    tree.unsaved = 0;
    await saveChecked(treeCacheOf(folder), savedForm(tree)).catch(() => {});
  }

  return {
    objects,
    save,
    async look(roots, pacing) {
      const store = await objects();
      if (store.check() === "lost") tree = emptyTree();
      tree ??= treeFrom(await loadChecked(treeCacheOf(folder)), store);
      const current = tree;
      try {
        return { ...(await look(current, roots, { tools: { store, crew, limits, excluded }, pacing })), tree: current };
      } catch (error) {
        // Half of it is old now and half new.
        tree = undefined;
        throw error;
      }
    },
    hasMuchToSave: () => (tree?.unsaved ?? 0) > muchToSave,
    async close() {
      await save();
      crew.close();
      (await store)?.close();
    },
  };
}

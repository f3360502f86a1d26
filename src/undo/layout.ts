/** The files of a store: packs with contents, and the tree of the last look. */
export function packsOf(folder: string): string {
  return `${folder}/packs`;
}

export function treeCacheOf(folder: string): string {
  return `${folder}/tree.cache`;
}

/** Processes that use the store now. */
export function usersOf(folder: string): string {
  return `${folder}/users`;
}

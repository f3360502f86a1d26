const most = 3;

/** Names that may have been meant, best first. */
export function similarNames(wanted: string, names: readonly string[]): string[] {
  const scored = names.map((name) => ({ name, score: likeness(wanted.toLowerCase(), name.toLowerCase()) }));
  return scored
    .filter(({ score }) => score >= 0.5)
    .sort((a, b) => b.score - a.score)
    .slice(0, most)
    .map(({ name }) => name);
}

/** Names that are told apart from `wanted` only by case or by the Unicode form of a letter. */
export function twinNames(wanted: string, names: readonly string[]): string[] {
  const fold = (name: string) => name.normalize("NFC").toLowerCase();
  return names.filter((name) => name !== wanted && fold(name) === fold(wanted)).slice(0, most);
}

/** 1 for equal, 0 for nothing in common: shared pairs of characters (Dice), with a bonus for one name inside the other. */
function likeness(a: string, b: string): number {
  if (a === b) return 1;
  const stem = (name: string) => name.replace(/(.)\.[^.]*$/, "$1");
  if (stem(a) === stem(b)) return 0.95;
  const inside = Math.min(a.length, b.length) >= 3 && (a.includes(b) || b.includes(a));
  const pairsOfA = pairs(a);
  const pairsOfB = pairs(b);
  const shared = [...pairsOfA].filter((pair) => pairsOfB.has(pair)).length;
  return Math.max(inside ? 0.6 : 0, (2 * shared) / (pairsOfA.size + pairsOfB.size || 1));
}

function pairs(name: string): Set<string> {
  const found = new Set<string>();
  for (let at = 0; at + 1 < name.length; at++) found.add(name.slice(at, at + 2));
  return found;
}

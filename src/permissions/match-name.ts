/** Does a shell pattern for one file name (`*`, `?`, `[…]`) match? A bracket counts as any character: too much rather than too little. */
export function matchesName(pattern: string, name: string): boolean {
  if (pattern.includes("/")) return false;
  if (name.startsWith(".") && !pattern.startsWith(".")) return false;
  const shape = pattern.replace(/\[[^\]]*\]/g, "?");
  return matchesFrom(shape, name);
}

/** Linear for what people write: on a mismatch only the last `*` gives way. */
function matchesFrom(pattern: string, name: string): boolean {
  let at = 0;
  let star = -1;
  let resume = 0;
  let next = 0;
  while (next < name.length) {
    if (pattern[at] === "*") {
      star = at++;
      resume = next;
    } else if (pattern[at] === "?" || pattern[at] === name[next]) {
      at++;
      next++;
    } else if (star >= 0) {
      at = star + 1;
      next = ++resume;
    } else return false;
  }
  while (pattern[at] === "*") at++;
  return at === pattern.length;
}

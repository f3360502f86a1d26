/** A project's folder name: its path, readable, without separators. The number tells apart paths that read the same: they share no rules. */
export function projectSlug(root: string): string {
  const readable = root
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^-+/, "")
    .slice(-100);
  // FNV-1a: no secret is kept, and a real hash would cost milliseconds at every start
  let sum = 0x811c9dc5;
  for (let at = 0; at < root.length; at++) sum = Math.imul(sum ^ root.charCodeAt(at), 0x01000193) >>> 0;
  return `${readable || "root"}-${sum.toString(16).padStart(8, "0")}`;
}

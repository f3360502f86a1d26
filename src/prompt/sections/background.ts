/** What a session was begun with and goes on with, although it may have changed since. */
export function backgroundSection(texts: readonly string[]): string {
  return texts.length === 0 ? "" : `<background>\n${texts.join("\n\n")}\n</background>`;
}

export function withoutBackground(system: string): string {
  const start = system.lastIndexOf("\n\n<background>\n");
  return start >= 0 && system.endsWith("\n</background>") ? system.slice(0, start) : system;
}

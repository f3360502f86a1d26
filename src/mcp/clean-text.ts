import { withoutHidden } from "../platform/invisible-text.ts";
import { stripControl } from "../platform/terminal-text.ts";

/** What a server wrote, for the model: no terminal sequences, nothing that readers cannot see, no longer than it may be. */
export function cleanText(given: unknown, maxChars: number): string {
  if (typeof given !== "string") return "";
  const text = withoutHidden(stripControl(given.slice(0, 4 * maxChars))).text.trim();
  return text.length > maxChars ? `${text.slice(0, maxChars - 1)}…` : text;
}

/** The same on one line. */
export function cleanLine(given: unknown, maxChars: number): string {
  return cleanText(typeof given === "string" ? given.slice(0, 4 * maxChars).replace(/\s+/g, " ") : given, maxChars);
}

import { withoutHidden } from "../platform/invisible-text.ts";
import { runWithin } from "../platform/run-within.ts";
import { stripControl } from "../platform/terminal-text.ts";
import { isHtml, type Page } from "./fetch-page.ts";

/** A page that nests thousands of elements takes minutes, and nothing else happens meanwhile. */
const convertMs = 5_000;

/** What a model should read of a page: Markdown for HTML, anything else as it is; nothing that a reader of the page would not see. */
export async function pageText({ text, type }: Page): Promise<string> {
  const readable = isHtml(type) ? await markdownOf(text) : text;
  return withoutHidden(stripControl(readable)).text;
}

async function markdownOf(text: string): Promise<string> {
  const { default: TurndownService } = await import("turndown");
  const turndown = new TurndownService({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-" });
  turndown.remove(["script", "style", "noscript", "iframe", "template", "nav", "footer", "form", "button"]);
  turndown.remove((node) => node.nodeName === "SVG" || node.nodeName === "svg");
  turndown.addRule("picture", { filter: "img", replacement: (_, node) => altOf(node as unknown as Element) });
  const markdown = await runWithin(convertMs, () => ({ text: turndown.turndown(text) })).catch(
    () => "too deep" as const,
  );
  const found = typeof markdown === "object" ? markdown.text : withoutTags(text);
  return found.replace(/\n{3,}/g, "\n\n");
}

/** The words alone, where the structure is too much. */
function withoutTags(html: string): string {
  const bare = html.replace(/<(script|style)\b[\s\S]*?<\/\1\s*>/gi, " ").replace(/<[^<>]*>/g, "\n");
  return bare
    .replace(/[ \t]+/g, " ")
    .replace(/\s*\n\s*/g, "\n")
    .trim();
}

type Element = { getAttribute(name: string): string | null };

/** A picture is worth its description; its address, often the picture itself in base64, is not. */
function altOf(element: Element): string {
  const alt = element.getAttribute("alt")?.trim();
  return alt ? `[picture: ${alt}]` : "";
}

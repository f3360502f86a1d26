import type { Page } from "./fetch-page.ts";

/** What a model should read of a page: Markdown for HTML, anything else as it is. */
export async function pageText({ text, type }: Page): Promise<string> {
  if (!/^text\/html|^application\/xhtml/.test(type)) return text;
  const { default: TurndownService } = await import("turndown");
  const turndown = new TurndownService({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-" });
  turndown.remove(["script", "style", "noscript", "iframe", "template", "nav", "footer", "form", "button"]);
  turndown.remove((node) => node.nodeName === "SVG" || node.nodeName === "svg");
  turndown.addRule("picture", { filter: "img", replacement: (_, node) => altOf(node as unknown as Element) });
  return turndown.turndown(text).replace(/\n{3,}/g, "\n\n");
}

type Element = { getAttribute(name: string): string | null };

/** A picture is worth its description; its address, often the picture itself in base64, is not. */
function altOf(element: Element): string {
  const alt = element.getAttribute("alt")?.trim();
  return alt ? `[picture: ${alt}]` : "";
}

export type Scope = "project" | "user";

/** One thing that is remembered: a Markdown file of a title and a few lines. */
export type Entry = {
  /** Name of the file without its ending; `user/…` for what holds in every project. */
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly path: string;
};

const titleLimit = 80;

/** A file without a heading is called by its first words. Undefined when it says nothing. */
export function readEntry(content: string): Pick<Entry, "title" | "text"> | undefined {
  const text = content.trim();
  if (!/[\p{L}\p{N}]/u.test(text)) return undefined;
  const [first = ""] = text.split("\n", 1);
  const isHeading = /^#+\s/.test(first);
  return { title: titleFrom(first), text: isHeading ? text.slice(first.length).trim() : text };
}

export function writeEntry({ title, text }: Pick<Entry, "title" | "text">): string {
  return `# ${title}\n\n${text}\n`;
}

/** One line, short enough for a list. */
export function titleFrom(text: string): string {
  const line = text
    .replace(/^#+\s+/, "")
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
  return line.length <= titleLimit ? line : `${line.slice(0, titleLimit - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** A name for a file that reads like the title. */
export function nameFrom(title: string): string {
  const name = title
    .normalize("NFC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "");
  return [...name].slice(0, 40).join("").replace(/-+$/, "") || "note";
}

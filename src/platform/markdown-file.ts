import { messageOf } from "../contracts/errors.ts";
import { withoutHidden } from "./invisible-text.ts";
import { plainFields } from "./plain-fields.ts";
import { readSmallText } from "./read-small-text.ts";

/** Nobody writes more by hand, and no model should be sent more at once. */
const limitBytes = 256 * 1024;
const frontMatterLimit = 16 * 1024;
/** Real files have none; a few of them can stand for gigabytes. */
const aliasLimit = 20;

/** The parser takes half a second for thousands of them. */
const mostBrackets = 200;
const deepList = /(?:[-?] ){40}/;

export type MarkdownFile = {
  /** What stands between the lines `---` at its beginning; empty when there is nothing. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: string;
};

/**
 * A Markdown file that may begin with front matter, free of characters nobody sees. Never throws: what is wrong with the file is told in one
 * line that names it. The YAML parser is loaded only for front matter that needs one. A last link is not followed.
 */
export async function readMarkdownFile(path: string): Promise<MarkdownFile | { readonly problem: string }> {
  const read = readSmallText(path, limitBytes);
  if ("problem" in read) return { problem: `${path} ${read.problem}` };
  const { front, body } = splitFrontMatter(withoutHidden(read.text).text);
  if (front === undefined || front.trim() === "") return { fields: {}, body };
  if (front.length > frontMatterLimit) {
    return { problem: `${path} has front matter of ${front.length} characters; at most ${frontMatterLimit} are read.` };
  }
  const plain = plainFields(front);
  if (plain) return { fields: plain, body };
  const parsed = await parseFields(front);
  return "problem" in parsed
    ? { problem: `${path} has bad front matter: ${parsed.problem.replace(/[.:]?$/, ".")}` }
    : { ...parsed, body };
}

/** A first line `---` without its second is text like any other. */
function splitFrontMatter(text: string): { readonly front: string | undefined; readonly body: string } {
  const found = /^---[ \t]*\r?\n([\s\S]*?)^---[ \t]*(?:\r?\n|$)/my.exec(text);
  if (found === null) return { front: undefined, body: text };
  return { front: (found[1] ?? "").replaceAll("\r\n", "\n"), body: text.slice(found[0].length) };
}

type Parsed = { readonly fields: Readonly<Record<string, unknown>> } | { readonly problem: string };

/** Other agents read `description: Use this when: …` as meant, so it is tried once more with such lines quoted. */
async function parseFields(front: string): Promise<Parsed> {
  if ((front.match(/[[{]/g)?.length ?? 0) > mostBrackets || deepList.test(front))
    return { problem: "it is nested without need." };
  const { parseDocument } = await import("yaml");
  const parse = (text: string): Parsed => {
    try {
      const document = parseDocument(text, { stringKeys: true, logLevel: "silent" });
      const [error] = document.errors;
      if (error) return { problem: firstLine(error.message) };
      const value: unknown = document.toJS({ maxAliasCount: aliasLimit });
      if (value === null || value === undefined) return { fields: {} };
      if (typeof value !== "object" || Array.isArray(value))
        return { problem: "it must be a list of `name: value` lines." };
      return { fields: value as Record<string, unknown> };
    } catch (error) {
      return { problem: firstLine(messageOf(error)) };
    }
  };
  const parsed = parse(front);
  if (!("problem" in parsed)) return parsed;
  const quoted = front.replace(
    /^([\w-]+):[ \t]+([^\s"'[{|>&*!#].*)$/gm,
    (_, name: string, value: string) => `${name}: ${JSON.stringify(value)}`,
  );
  const again = parse(quoted);
  return "problem" in again ? parsed : again;
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}

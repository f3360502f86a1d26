import { ToolError } from "../contracts/errors.ts";
import { type Infer, integer, object, optional, string } from "../contracts/schema.ts";
import { defineTool, type ToolContext, type ToolOutput } from "../contracts/tool.ts";
import { listFolder } from "../platform/list-folder.ts";
import { lookAt } from "../platform/open-file.ts";
import { displayPath, realOrSame } from "../platform/paths.ts";
import { type FileReading, readWindow } from "../platform/read-window.ts";
import { asToolError } from "./files/file-errors.ts";
import { pathToRead } from "./files/file-target.ts";
import { rememberText } from "./files/known-content.ts";
import { missingFile } from "./files/missing-file.ts";
import { showWindow } from "./files/show-window.ts";

const linesAtOnce = 2000;
const maxLineCharacters = 2000;
const maxWindowBytes = 100_000;
const maxImageBytes = 5 * 1024 * 1024;
const maxEntries = 500;

const input = object({
  file_path: string("~ and relative paths work"),
  offset: optional(integer("First line, from 1", { min: 1 })),
  limit: optional(integer(`Number of lines, ${linesAtOnce} if left out`, { min: 1 })),
});

type ReadInput = Infer<typeof input>;

export const readFile = defineTool<ReadInput>({
  name: "read_file",
  description:
    "Read a text file as `number<TAB>line`; notes in [brackets] at the end are not part of it. Also shows images and lists folders. Required before changing an existing file.",
  input,
  effect: "read",
  describe: ({ file_path, offset }) => ({
    label: "read",
    title: offset === undefined ? file_path : `${file_path} from line ${offset}`,
    reads: [file_path],
  }),
  async run(given, context) {
    try {
      return await read(given, context);
    } catch (error) {
      throw asToolError(error, { action: "read", shown: given.file_path });
    }
  },
});

async function read({ file_path, offset, limit }: ReadInput, { workspace, signal }: ToolContext): Promise<ToolOutput> {
  const target = pathToRead(file_path, workspace);
  const stat = lookAt(target);
  if (stat === undefined) throw missingFile(file_path, target, workspace);
  const shown = displayPath(target, realOrSame(workspace.cwd));
  if (stat.isDirectory()) return { text: showFolder(target, shown) };
  const reading = await readWindow(target, {
    offset: offset ?? 1,
    limit: limit ?? linesAtOnce,
    maxBytes: maxWindowBytes,
    maxLineCharacters,
    maxImageBytes,
    signal,
  });
  const output = show(reading, shown, offset ?? 1);
  workspace.seen.set(target, reading.identity);
  rememberText(workspace, target, wholeText(reading, offset ?? 1));
  return output;
}

/** The text when all of it was shown. */
function wholeText({ content }: FileReading, offset: number): string | undefined {
  if (content.type !== "text" || offset !== 1 || !content.isCounted || content.lines.length < content.totalLines)
    return undefined;
  if (content.lines.some((line) => line.cutCharacters > 0)) return undefined;
  return content.lines.map((line) => `${line.text}\n`).join("");
}

function show({ content, sizeBytes }: FileReading, shown: string, offset: number): ToolOutput {
  if (content.type === "text") return { text: showWindow(content, offset) };
  const size = `${sizeBytes} bytes`;
  if (content.type === "binary") {
    throw new ToolError(
      `${shown} is binary (${content.name}, ${size}) and cannot be shown as text. Inspect it with bash (file, xxd, strings); to replace it, remove it with bash first.`,
    );
  }
  if (content.bytes === undefined) {
    throw new ToolError(
      `${shown} is a ${content.name} of ${size}; images up to 5 MB can be shown. Make a smaller copy with bash and read that.`,
    );
  }
  const image = { type: "image", mediaType: content.mediaType, base64: content.bytes.toString("base64") } as const;
  return { text: `${shown}: ${content.name}, ${size}`, images: [image] };
}

function showFolder(target: string, shown: string): string {
  const entries = listFolder(target);
  const heading = `${shown === "." ? "The current folder" : `${shown}/`} is a folder with ${entries.length} ${entries.length === 1 ? "entry" : "entries"}`;
  if (entries.length === 0) return `${heading}.`;
  const cut =
    entries.length > maxEntries ? [`[first ${maxEntries} of ${entries.length}; use glob for the others]`] : [];
  return [`${heading}:`, ...entries.slice(0, maxEntries), ...cut].join("\n");
}

import type { Environment } from "../config/load.ts";
import type { CommandOutcome, KeyHelp, SlashCommand } from "../contracts/command.ts";
import type { AgentEvent } from "../contracts/event.ts";
import type { AskPermission } from "../contracts/permission.ts";
import type { Todo } from "../contracts/tool-view.ts";
import { createInputHistory } from "../session/input-history.ts";
import { askThrough } from "../ui/ask-person.ts";
import type { Output } from "../ui/output.ts";
import type { FileFinder } from "../ui/rendering/file-finder.ts";
import type { CompletionSources } from "../ui/terminal/completion.ts";
import type { PictureSource } from "../ui/terminal/desk.ts";
import { isOwnCommand } from "../ui/terminal/input.ts";
import type { PastItem } from "../ui/terminal/interface-options.ts";
import type { StatusSource } from "../ui/terminal/status-line.ts";
import { paintedText } from "../ui/visible-text.ts";
import type { ModeContext } from "./mode-context.ts";
import { pictureAt, withPictureNames } from "./prompt-parts.ts";
import { kindOfTerminal, surfaceOf, themeFor, wantsPlain } from "./terminal-facts.ts";

/** What a conversation needs of whoever shows it. */
export type Face = {
  /** Runs until the person leaves. */
  run(): Promise<void>;
  readonly ask: AskPermission;
  /** Where everything goes that is no event. */
  readonly output: Output;
  printDiff(diff: string): void | Promise<void>;
  /** Shows the end of a conversation again; undefined where a few words have to do. */
  readonly showPast: ((items: readonly PastItem[]) => void) | undefined;
  /** What keys do at its prompt. */
  readonly keys: readonly KeyHelp[];
  /** Long lists can be looked through. */
  readonly hasPickers: boolean;
  /** The line at the bottom may have changed. */
  refresh(): void;
  /** What was written while the agent works, to be delivered at its next step. */
  takeQueued(): readonly string[];
};

/** What a face needs of the conversation; looked at when it runs, not before. */
export type FaceSources = {
  readonly banner: () => readonly string[];
  /** What was said last in a conversation that goes on. */
  readonly past: () => readonly PastItem[];
  readonly commands: () => readonly SlashCommand[];
  readonly todos: () => readonly Todo[];
  readonly send: (prompt: string, signal: AbortSignal) => AsyncIterable<AgentEvent>;
  readonly isPrompt: (line: string) => boolean;
  /** Undefined when the line is a prompt. Without a signal of its own the command listens to Ctrl-C. */
  readonly runCommand: (line: string, signal?: AbortSignal) => Promise<CommandOutcome | undefined>;
  readonly runOwnCommand: (command: string, signal: AbortSignal) => Promise<string>;
  readonly cycleMode: () => string;
  /** Where paths in prompts begin. */
  readonly folder: () => string;
  readonly status: StatusSource;
  readonly target: () => { readonly endpoint: string; readonly model: string };
};

export async function openFace(context: ModeContext, sources: FaceSources): Promise<Face> {
  const { settings } = context.resolved.loaded;
  return wantsPlain(context.environment, settings.interface) ? plainFace(context, sources) : fullFace(context, sources);
}

async function plainFace({ output, resolved }: ModeContext, sources: FaceSources): Promise<Face> {
  const { createInteractive } = await import("../ui/interactive.ts");
  async function runOwn(line: string): Promise<CommandOutcome> {
    const stop = new AbortController();
    const interrupt = () => stop.abort();
    process.once("SIGINT", interrupt);
    output.out(`${await sources.runOwnCommand(line.slice(1).trim(), stop.signal)}\n`);
    process.off("SIGINT", interrupt);
    return "continue";
  }
  const names = () => sources.commands().flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  const interactive = createInteractive({
    output,
    banner: () => `${sources.banner().join("\n")}\n`,
    send: sources.send,
    runCommand: (line) => (isOwnCommand(line) ? runOwn(line) : sources.runCommand(line)),
    commandNames: () => names().map((name) => `/${name}`),
    target: sources.target,
    history: createInputHistory(`${resolved.loaded.stateFolder}/history`),
  });
  return {
    ...interactive,
    output,
    printDiff: output.out,
    refresh() {},
    keys: plainKeys,
    showPast: undefined,
    hasPickers: false,
    takeQueued: () => [],
  };
}

const plainKeys: readonly KeyHelp[] = [
  { keys: "Enter", does: "sends; a line that ends in \\ goes on" },
  { keys: "↑, ↓", does: "what was sent before" },
  { keys: "Tab", does: "completes /commands" },
  { keys: "Esc, Ctrl+C", does: "stops the agent; at the prompt Ctrl+C clears, twice it quits" },
  { keys: "Ctrl+D", does: "quits" },
  { keys: "!command", does: "runs it unasked and tells the model with your next prompt" },
];

async function fullFace(context: ModeContext, sources: FaceSources): Promise<Face> {
  const { environment, resolved, cwd, output } = context;
  const { settings, stateFolder } = resolved.loaded;
  const { createTerminalInterface } = await import("../ui/terminal/terminal-interface.ts");
  const { readKeyTable } = await import("../ui/terminal/key-actions.ts");
  const { keyHelp } = await import("../ui/terminal/key-help.ts");
  const keys = readKeyTable(settings.keys ?? []);
  const kind = kindOfTerminal(environment);
  const { theme, themeOn } = themeFor(environment, settings.theme);
  const face = createTerminalInterface({
    surface: surfaceOf(kind),
    kind,
    theme,
    ...(themeOn ? { themeOn } : {}),
    keys,
    usesVim: settings.editorKeys === "vim",
    escapeMs: environment.SSH_CONNECTION === undefined ? 25 : 100,
    notifies: settings.notifications !== "off",
    isVerbose: output.isVerbose ?? false,
    banner: sources.banner,
    past: sources.past,
    folderName: `corecoder · ${cwd.split("/").at(-1) ?? cwd}`,
    root: cwd,
    todos: sources.todos,
    send: sources.send,
    isPrompt: sources.isPrompt,
    runCommand: sources.runCommand,
    runOwnCommand: sources.runOwnCommand,
    cycleMode: sources.cycleMode,
    echo: (prompt) => withPictureNames(prompt, sources.folder()),
    pictures: picturesFor(environment, sources.folder),
    status: sources.status,
    target: sources.target,
    history: createInputHistory(`${stateFolder}/history`),
    async editElsewhere(text) {
      const { editInProgram } = await import("../platform/foreground-program.ts");
      return editInProgram(environment.VISUAL || environment.EDITOR || "vi", text, environment);
    },
    completion: completionFor(cwd, sources.commands),
  });
  askThrough(face);
  return {
    run: face.run,
    ask: face.ask,
    takeQueued: face.takeQueued,
    printDiff: face.printDiff,
    keys: keyHelp(keys),
    showPast: face.showPast,
    hasPickers: true,
    refresh: face.refresh,
    output: {
      ...output,
      out: (text) => face.print(paintedText(text), "text"),
      err: (text) => face.print(paintedText(text), "dim"),
    },
  };
}

function picturesFor(environment: Environment, folder: () => string): PictureSource {
  return {
    named: (pasted) => pictureAt(pasted, folder()),
    async fromClipboard() {
      const { saveClipboardPicture } = await import("../platform/clipboard-picture.ts");
      const saved = await saveClipboardPicture(environment);
      if ("problem" in saved) return saved;
      return pictureAt(saved.path, "/") ?? { problem: "What the clipboard holds is no picture that models read" };
    },
  };
}

/** The folder is read when the first file is asked for. */
function completionFor(cwd: string, commands: FaceSources["commands"]): CompletionSources {
  let files: Promise<FileFinder> | undefined;
  return {
    commands: () =>
      commands().map(({ name, usage, summary }) => ({
        value: `/${name}`,
        help: usage ? `${usage}  ${summary}` : summary,
      })),
    async findFiles(query, limit) {
      files ??= import("../ui/rendering/file-finder.ts").then(({ createFileFinder }) => createFileFinder(cwd));
      return (await files).find(query, limit);
    },
  };
}

// Makes the pictures of docs/: the built program runs in a pseudo-terminal against a model that follows a script, and what a terminal
// shows of it is drawn. The model says its next word when the last one is on the screen, so that every run draws the same frames.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";
import { startModel } from "../bench/model-server.mjs";
import { captureScreen, drawTerminal } from "./terminal-svg.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const cli = process.env.CORECODER_TEST_CLI ?? join(root, "dist/cli.js");
/** The same on every machine: it is in the picture. */
const home = "/tmp/corecoder-pictures";
const project = join(home, "hello");
const size = { cols: 100, rows: 30 };
const quietMs = 400;
const drawnMark = "\u001b[?2026l";
const promptMark = "\u001b]133;D";

const files = {
  "package.json": '{ "name": "hello", "private": true, "type": "module" }\n',
  "src/greeting.js": "export function greet(name) {\n  return `Hello, ${name}!`;\n}\n",
  "src/main.js":
    'import { great } from "./greeting.js";\n\nexport function welcome(names) {\n  return names.map((name) => great(name)).join("\\n");\n}\n',
  "names.txt": Array.from({ length: 2_400 }, (_, at) => `${at + 1}. ${at % 50 ? "Alan" : "Ada"} of house ${at}\n`).join(
    "",
  ),
  "check.js":
    'import assert from "node:assert/strict";\nimport { welcome } from "./src/main.js";\n\nassert.equal(welcome(["Ada", "Alan"]), "Hello, Ada!\\nHello, Alan!");\nconsole.log("1 check passed");\n',
};

function makeProject() {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  }
  const git = (...args) => execFileSync("git", args, { cwd: project, stdio: "ignore" });
  git("init", "--quiet", "--initial-branch=main");
  git("add", ".");
  git("-c", "user.name=a", "-c", "user.email=a@example.invalid", "commit", "--quiet", "-m", "a broken import");
}

const call = (tool, input) => ({ tool, input });
const edit = {
  file_path: "src/main.js",
  old_string: 'import { great } from "./greeting.js";',
  new_string: 'import { greet } from "./greeting.js";',
};
const editUse = { file_path: "src/main.js", old_string: "great(name)", new_string: "greet(name)" };
const fixed =
  '## Fixed\n\n`src/main.js` imported a name that nobody exports:\n\n| file | was | is |\n|---|---|---|\n| `src/main.js:1` | `great` | **`greet`** |\n| `src/main.js:4` | `great(name)` | **`greet(name)`** |\n\nThe check passes now. What changed in effect:\n\n```js\nexport function welcome(names) {\n  return names.map((name) => greet(name)).join("\\n"); // one line each\n}\n```\n';

/** Each answer of the model: words, then calls. */
const story = [
  { say: "I'll run the check and look at what is here.", calls: [call("bash", { command: "node check.js" })] },
  {
    say: "The import in `src/main.js` asks for a name that `src/greeting.js` does not export. Both files, to be sure.",
    calls: [call("read_file", { file_path: "src/main.js" }), call("read_file", { file_path: "src/greeting.js" })],
  },
  { calls: [call("edit_file", edit), call("edit_file", editUse), call("bash", { command: "node check.js" })] },
  { say: fixed },
];
/** One that fills a small window. */
const longStory = [
  ...Array.from({ length: 14 }, (_, at) => ({
    calls: [call("read_file", { file_path: "names.txt", offset: 1 + at * 150, limit: 150 })],
  })),
  { calls: [call("grep", { pattern: "Ada", path: "names.txt" }), call("bash", { command: "wc -l names.txt" })] },
  { say: "The list has 2,400 names; Ada is among them 48 times." },
];

const event = (body) =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", ...body })}\n\n`;
const delta = (part, finish = null) => event({ choices: [{ index: 0, delta: part, finish_reason: finish }] });

/** `afterWord` is waited for behind every word. */
async function answer({ say = "", calls = [] }, { index, response, afterWord }) {
  for (const word of say.match(/\S+\s*/g) ?? []) {
    response.write(delta({ content: word }));
    await afterWord();
  }
  for (const [at, { tool, input }] of calls.entries()) {
    const asked = { index: at, id: `c${index}-${at}`, type: "function" };
    response.write(delta({ tool_calls: [{ ...asked, function: { name: tool, arguments: JSON.stringify(input) } }] }));
  }
  response.write(delta({}, calls.length > 0 ? "tool_calls" : "stop"));
  const usage = {
    prompt_tokens: 1_900 + index * 420,
    completion_tokens: 60,
    prompt_tokens_details: { cached_tokens: index === 0 ? 0 : 1_792 + (index - 1) * 384 },
  };
  response.end(`${event({ choices: [], usage })}data: [DONE]\n\n`);
  return undefined;
}

/** The program in a terminal that can be looked at. */
function openTerminal(url, args = []) {
  const terminal = new xterm.Terminal({ ...size, scrollback: 1_000, allowProposedApi: true });
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    CORECODER_HOME: join(home, "state"),
    LANG: "C.UTF-8",
    TERM: "xterm-256color",
    COLORTERM: "truecolor",
    COLORFGBG: "15;0",
    OPENAI_API_KEY: "none",
    OPENAI_BASE_URL: url,
  };
  const pty = spawn(process.execPath, [cli, "-m", "gpt-5.5", ...args], { ...size, cwd: project, env });
  let raw = "";
  const waiting = new Set();
  pty.onData((data) => {
    raw += data;
    terminal.write(data, () => {
      for (const look of waiting) look();
    });
  });
  const screenText = () => {
    const { active } = terminal.buffer;
    const line = (at) => active.getLine(active.baseY + at)?.translateToString(true) ?? "";
    return Array.from({ length: size.rows }, (_, at) => line(at)).join("\n");
  };
  const until = (isThere, what) =>
    new Promise((resolve, reject) => {
      const late = globalThis.setTimeout(() => reject(new Error(`${what} did not come:\n${screenText()}`)), 20_000);
      const look = () => {
        if (!isThere()) return;
        clearTimeout(late);
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  let seenTo = 0;
  return {
    press: (keys) => pty.write(keys),
    written: () => raw.length,
    drawn: (from) => until(() => raw.indexOf(drawnMark, from) >= 0, "a frame"),
    shows: (words) => until(() => screenText().includes(words), `"${words}"`),
    async prompt() {
      await until(() => raw.indexOf(promptMark, seenTo) >= 0, "the prompt");
      seenTo = raw.indexOf(promptMark, seenTo) + promptMark.length;
    },
    /** When nothing was written for a while: what follows from a step by itself has come. */
    async settled() {
      for (let length = -1; length !== raw.length; ) {
        length = raw.length;
        await setTimeout(quietMs);
      }
    },
    capture: () => captureScreen(terminal),
    close: () => pty.kill("SIGKILL"),
  };
}

/** Times on the screen are the clock's; in pictures they must not differ from run to run. */
function withoutClock(screen) {
  const rows = screen.rows.map((runs) => {
    let shift = 0;
    return runs.map((run) => {
      const text = run.text
        .replace(/^((?:answering|working|thinking|waiting for the model) )\d+ s/, "$11 s")
        .replace(/^\d+(?:\.\d)? s(?=, \d+ call)/, "9.0 s");
      const moved = { ...run, text, column: run.column + shift, cells: run.cells + text.length - run.text.length };
      shift += text.length - run.text.length;
      return moved;
    });
  });
  return { ...screen, rows };
}

/** As high as what is on it. */
function cropped(screen) {
  const isEmpty = (runs) => runs.every(({ text }) => text.trim() === "");
  const height = screen.rows.findLastIndex((runs) => !isEmpty(runs)) + 1;
  return { ...screen, rows: screen.rows.slice(0, Math.max(height, (screen.cursor?.row ?? 0) + 1)) };
}

const picturesFolder = process.argv[2] ?? join(root, "docs");
const draw = (name, frames, title) => writeFileSync(join(picturesFolder, `${name}.svg`), drawTerminal(frames, title));

async function open(script, { args = [], onWord = () => {} } = {}) {
  let terminal;
  const model = await startModel(async (index, response) => {
    // the line at the bottom follows a moment later
    await terminal.settled();
    return answer(script[index], {
      index,
      response,
      async afterWord() {
        await terminal.drawn(terminal.written());
        onWord(terminal);
      },
    });
  });
  terminal = openTerminal(model.url, args);
  await terminal.prompt();
  return {
    ...terminal,
    still: (name, title) => draw(name, [{ screen: cropped(withoutClock(terminal.capture())), ms: 1 }], title),
    close() {
      terminal.close();
      model.close();
    },
  };
}

async function fixAnImport() {
  const film = [];
  let words = 0;
  const snap = (terminal, ms) => film.push({ screen: withoutClock(terminal.capture()), ms });
  const onWord = (terminal) => words++ % 3 === 0 && snap(terminal, 130);
  const terminal = await open(story, { onWord });
  async function type(text) {
    for (const [at, key] of [...text].entries()) {
      const from = terminal.written();
      terminal.press(key);
      await terminal.drawn(from);
      if (at % 3 === 2) snap(terminal, 110);
    }
  }
  async function question(words, key, look = () => {}) {
    await terminal.shows(words);
    await terminal.shows("n no (default)");
    await terminal.settled();
    snap(terminal, 1_900);
    look();
    terminal.press(key);
  }
  await terminal.settled();
  snap(terminal, 900);
  terminal.press("Why does node check.js fail? Look at @src/");
  await terminal.shows("src/greeting.js");
  await terminal.settled();
  terminal.still("terminal-start", "a first prompt, with files to complete it");
  terminal.press("\u0015");
  await terminal.settled();
  await type("The check fails (node check.js). Find out why and fix it.");
  snap(terminal, 500);
  terminal.press("\r");
  await question("Allow this command?", "s");
  await question("import { greet }", "y", () =>
    terminal.still("terminal-question", "a question that holds the change"),
  );
  await question("greet(name)", "y");
  await terminal.prompt();
  await terminal.settled();
  snap(terminal, 3_500);
  terminal.still("terminal-answer", "a finished answer");
  await type("/undo");
  terminal.press("\r");
  await terminal.prompt();
  await terminal.settled();
  snap(terminal, 3_500);
  terminal.close();
  draw("terminal-story", film, "corecoder fixes an import and takes it back");
}

async function fillAWindow() {
  const terminal = await open(longStory, { args: ["--max-context", "32000"] });
  terminal.press("How many names are in names.txt?\r");
  await terminal.prompt();
  terminal.press("/context\r");
  await terminal.prompt();
  await terminal.settled();
  terminal.still("terminal-context", "what the window holds");
  terminal.close();
}

/** `corecoder demo` as it is printed, in a terminal as high as that. Of the widths that a README shows well, one at which no line breaks inside a word. */
async function theDemo() {
  const terminal = new xterm.Terminal({ cols: 111, rows: 60, allowProposedApi: true });
  const env = { PATH: process.env.PATH, HOME: home, LANG: "C.UTF-8", TERM: "xterm-256color", FORCE_COLOR: "1" };
  const pty = spawn(process.execPath, [cli, "demo"], { cols: 111, rows: 60, cwd: home, env });
  let written = "\u001b[2m$\u001b[0m \u001b[1mcorecoder demo\u001b[0m\r\n";
  pty.onData((data) => (written += data));
  const { exitCode } = await new Promise((resolve) => pty.onExit(resolve));
  if (exitCode !== 0) throw new Error(`corecoder demo ended with ${exitCode}:\n${written}`);
  const neutral = written.replace(/(\/[\w.-]+)*\/corecoder-demo-\w+/g, "/tmp/corecoder-demo");
  await new Promise((resolve) => terminal.write(`${neutral.trimEnd()}\u001b[?25l`, resolve));
  const { cursor: _, ...screen } = captureScreen(terminal);
  draw("demo", [{ screen: cropped(screen), ms: 1 }], "corecoder demo in a terminal");
}

if (!existsSync(cli)) throw new Error("dist/cli.js is missing: run `npm run build` first.");
if (existsSync(home)) throw new Error(`${home} exists: it would be in the picture. Move it away first.`);
process.on("exit", () => rmSync(home, { recursive: true, force: true }));
makeProject();
await fixAnImport();
await fillAWindow();
await theDemo();
process.exit(0);

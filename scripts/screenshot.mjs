// Makes docs/demo.svg: runs `corecoder demo` in a pseudo-terminal and draws what it printed, as text in one self-contained SVG.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { spawn } from "@lydell/node-pty";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const cli = join(root, "dist/cli.js");
/** Of the widths that a README shows well, one at which no line of the demo breaks inside a word. */
const columns = 111;

/** Sizes in pixels; the width of a cell is forced upon every run of text, so that any monospaced font stays on the grid. */
const cell = { width: 7.8, height: 19, font: 13 };
const padding = 20;
const titleBar = 36;

const colours = { ground: "#15181e", bar: "#1f242c", text: "#d5d9e0", faint: "#858d9b", title: "#a5adba" };
const inks = { 31: "#ff7b85", 32: "#8fd67f", 33: "#e5c07b", 34: "#7aa8ff", 35: "#cf9bf5", 36: "#69d1df" };

/** What the program wrote, byte for byte. */
function record(args) {
  const home = mkdtempSync(join(tmpdir(), "corecoder-screenshot-"));
  const env = { PATH: process.env.PATH, HOME: home, LANG: "C.UTF-8", TERM: "xterm-256color", FORCE_COLOR: "1" };
  const pty = spawn(process.execPath, [cli, ...args], { cols: columns, rows: 40, cwd: home, env });
  let written = "";
  pty.onData((data) => (written += data));
  return new Promise((resolve, reject) => {
    pty.onExit(({ exitCode }) => {
      rmSync(home, { recursive: true, force: true });
      if (exitCode === 0) resolve(written);
      else reject(new Error(`corecoder ${args.join(" ")} ended with ${exitCode}:\n${written}`));
    });
  });
}

const plainStyle = { bold: false, dim: false, ink: undefined };

function applySgr(style, codes) {
  let next = style;
  for (const code of codes.split(";").map(Number)) {
    if (code === 0) next = plainStyle;
    else if (code === 1) next = { ...next, bold: true };
    else if (code === 2) next = { ...next, dim: true };
    else if (code === 22) next = { ...next, bold: false, dim: false };
    else if (code === 39) next = { ...next, ink: undefined };
    else if (inks[code]) next = { ...next, ink: inks[code] };
    else throw new Error(`The picture does not know the style ${code}; teach it to scripts/screenshot.mjs.`);
  }
  return next;
}

/** Rows of runs in one style each, broken at the right edge as a terminal does. */
function layOut(written) {
  const rows = [[]];
  let style = plainStyle;
  let column = 0;
  const put = (text) => {
    for (const char of text) {
      if (column === columns) {
        rows.push([]);
        column = 0;
      }
      const row = rows.at(-1);
      const run = row.at(-1);
      if (run?.style === style) run.text += char;
      else row.push({ style, text: char, column });
      column++;
    }
  };
  for (const [token, codes] of written.matchAll(
    /\x1b\[([\d;]*)m|\x1b\[[0-?]*[ -/]*[@-~]|\r?\n|\t|[^\x1b\r\n\t]+|\r/g,
  )) {
    if (codes !== undefined) style = applySgr(style, codes);
    else if (token.endsWith("\n")) {
      rows.push([]);
      column = 0;
    } else if (token === "\t") put(" ".repeat(8 - (column % 8)));
    else if (token === "\r" || token.startsWith("\x1b"))
      throw new Error(`The picture cannot follow the control sequence ${JSON.stringify(token)}.`);
    else put(token);
  }
  while (rows.at(-1)?.length === 0) rows.pop();
  return rows;
}

const escapeXml = (text) => text.replace(/[&<>]/g, (char) => `&#${char.charCodeAt(0)};`);
const round = (value) => Number(value.toFixed(1));

/** Renderers collapse blanks: only text between them is drawn, each piece in its own place. */
function drawRun({ style, text, column }, row) {
  const fill = style.ink ?? (style.dim ? colours.faint : undefined);
  const marks = [fill ? ` fill="${fill}"` : "", style.bold ? ' font-weight="700"' : ""].join("");
  const y = titleBar + padding + row * cell.height + cell.font - 1;
  return [...text.matchAll(/\S+(?: \S+)*/g)]
    .map(({ 0: words, index }) => {
      const x = round(padding + (column + index) * cell.width);
      const length = round(words.length * cell.width);
      return `<text x="${x}" y="${y}" textLength="${length}" lengthAdjust="spacingAndGlyphs"${marks}>${escapeXml(words)}</text>`;
    })
    .join("");
}

function draw(rows, title) {
  const width = Math.round(columns * cell.width + 2 * padding);
  const height = titleBar + 2 * padding + rows.length * cell.height;
  const dots = [0, 1, 2].map((i) => `<circle cx="${20 + i * 20}" cy="18" r="6" fill="#3d4450"/>`).join("");
  const lines = rows.map((row, index) => row.map((run) => drawRun(run, index)).join("")).filter((line) => line !== "");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${title} in a terminal">
<title>${title}</title>
<rect width="${width}" height="${height}" rx="10" fill="${colours.ground}"/>
<path d="M0 ${titleBar}V10A10 10 0 0 1 10 0H${width - 10}A10 10 0 0 1 ${width} 10V${titleBar}Z" fill="${colours.bar}"/>
${dots}
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace" font-size="${cell.font}" fill="${colours.text}">
<text x="${width / 2}" y="23" text-anchor="middle" font-size="13" fill="${colours.title}">${title}</text>
${lines.join("\n")}
</g>
</svg>
`;
}

if (!existsSync(cli)) throw new Error("dist/cli.js is missing: run `npm run build` first.");
const written = await record(["demo"]);
const neutral = written.replace(/(\/[\w.-]+)*\/corecoder-demo-\w+/g, "/tmp/corecoder-demo");
writeFileSync(
  join(root, "docs/demo.svg"),
  draw(layOut(`\x1b[2m$\x1b[0m \x1b[1mcorecoder demo\x1b[0m\r\n${neutral}`), "corecoder demo"),
);

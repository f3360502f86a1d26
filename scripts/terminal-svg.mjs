// A terminal's screen as SVG: text in one self-contained file, still or as a film.

/** Sizes in pixels; the width of a cell is forced upon every run of text, so that any monospaced font stays on the grid. */
const cell = { width: 7.8, height: 18, font: 13 };
const padding = 14;
const titleBar = 30;
const ground = "#15181e";
const ink = "#d5d9e0";
const sixteen = [
  "#3b4048",
  "#f7768e",
  "#9ece6a",
  "#e0af68",
  "#7aa2f7",
  "#bb9af7",
  "#7dcfff",
  "#c0c5ce",
  "#6b7280",
  "#ff8fa3",
  "#b9f27c",
  "#ffc777",
  "#8db4ff",
  "#c8a9ff",
  "#a4e4ff",
  "#ffffff",
];

const round = (value) => Number(value.toFixed(1));
const escapeXml = (text) => text.replace(/[&<>]/g, (char) => `&#${char.charCodeAt(0)};`);
const hex = (number) => `#${number.toString(16).padStart(6, "0")}`;

function colourOf(isDefault, isRgb, value) {
  if (isDefault) return undefined;
  if (isRgb) return hex(value);
  if (value < 16) return sixteen[value];
  if (value >= 232) return hex((8 + (value - 232) * 10) * 0x010101);
  const level = (index) => (index === 0 ? 0 : 55 + index * 40);
  const at = value - 16;
  return hex((level(Math.floor(at / 36)) << 16) | (level(Math.floor(at / 6) % 6) << 8) | level(at % 6));
}

function styleOf(each) {
  const text = colourOf(each.isFgDefault(), each.isFgRGB(), each.getFgColor());
  const behind = colourOf(each.isBgDefault(), each.isBgRGB(), each.getBgColor());
  const isInverse = each.isInverse() !== 0;
  return {
    fill: isInverse ? (behind ?? ground) : text,
    ground: isInverse ? (text ?? ink) : behind,
    bold: each.isBold() !== 0,
    italic: each.isItalic() !== 0,
    underlined: each.isUnderline() !== 0,
    faint: each.isDim() !== 0,
  };
}

/** The runs of one style in a row. A blank of the plain style ends a run: renderers collapse it. */
function runsOf(line, columns) {
  const runs = [];
  for (let column = 0; column < columns; column++) {
    const each = line.getCell(column);
    const chars = each?.getChars() || " ";
    if (each === undefined || each.getWidth() === 0) continue;
    const style = styleOf(each);
    const key = JSON.stringify(style);
    // signs that a font may not have, or has in another width, stand alone
    const kind = /^[\x20-\x7e]+$/.test(chars) ? "letters" : chars;
    const last = runs.at(-1);
    if (last && last.key === key && last.kind === kind) {
      last.text += chars;
      last.cells += each.getWidth();
    } else runs.push({ key, kind, style, text: chars, column, cells: each.getWidth() });
  }
  return runs;
}

/** One row at the top left of the picture. */
function drawRow(runs, styles) {
  return runs
    .map(({ style, text, column, cells }) => {
      const box = (fill) =>
        `<path d="M${round(column * cell.width)} 0h${round(cells * cell.width)}v${cell.height}h-${round(cells * cell.width)}z" fill="${fill}"/>`;
      // fonts leave seams between blocks
      if (text.startsWith("█")) return box(style.fill ?? ink);
      const behind = style.ground ? box(style.ground) : "";
      const words = [...text.matchAll(/\S+(?: \S+)*/g)].map(({ 0: piece, index }) => {
        const width = text.length === cells ? piece.length : cells;
        const x = round((column + index) * cell.width);
        return `<text x="${x}" y="13.5" textLength="${round(width * cell.width)}"${styles.of(style)}>${escapeXml(piece)}</text>`;
      });
      return behind + words.join("");
    })
    .join("");
}

/** Styles are named once and used by their names. */
function styleBook() {
  const names = new Map();
  return {
    of({ fill, bold, italic, underlined, faint }) {
      const rule = [
        fill ? `fill:${fill}` : "",
        bold ? "font-weight:700" : "",
        italic ? "font-style:italic" : "",
        underlined ? "text-decoration:underline" : "",
        faint ? "opacity:.65" : "",
      ]
        .filter((part) => part !== "")
        .join(";");
      if (rule === "") return "";
      if (!names.has(rule)) names.set(rule, `s${names.size}`);
      return ` class="${names.get(rule)}"`;
    },
    css: () => [...names].map(([rule, name]) => `.${name}{${rule}}`).join(""),
  };
}

/** The screen as it is now: its rows, and where the cursor stands. */
export function captureScreen(terminal) {
  const { baseY, cursorX, cursorY } = terminal.buffer.active;
  const rows = Array.from({ length: terminal.rows }, (_, at) => {
    const line = terminal.buffer.active.getLine(baseY + at);
    return line ? runsOf(line, terminal.cols) : [];
  });
  return { columns: terminal.cols, rows, cursor: { column: cursorX, row: cursorY } };
}

function frameOf({ rows, cursor }, book, styles) {
  const uses = rows.map((runs, at) => {
    const drawn = drawRow(runs, styles);
    if (drawn === "") return "";
    if (!book.has(drawn)) book.set(drawn, `r${book.size}`);
    return `<use href="#${book.get(drawn)}"${at === 0 ? "" : ` y="${at * cell.height}"`}/>`;
  });
  if (cursor === undefined) return uses.join("");
  const mark = `<path d="M${round(cursor.column * cell.width)} ${cursor.row * cell.height + 1}h${cell.width}v16h-${cell.width}z" fill="${ink}" opacity=".55"/>`;
  return uses.join("") + mark;
}

/** Frames `{ screen, ms }`; with more than one it is a film that begins again. Who sees no animation sees the last one. */
export function drawTerminal(frames, title) {
  const { columns, rows } = frames[0].screen;
  const inner = { width: Math.ceil(columns * cell.width), height: rows.length * cell.height };
  const width = inner.width + 2 * padding;
  const height = titleBar + inner.height + 2 * padding;
  const styles = styleBook();
  const book = new Map();
  const drawn = frames.map(({ screen }) => frameOf(screen, book, styles));
  const strip = drawn.map((frame, at) => (at === 0 ? frame : `<g transform="translate(${at * width})">${frame}</g>`));
  const film = frames.length > 1 ? filmCss(frames, width) : "";
  const dots = [0, 1, 2].map((at) => `<circle cx="${18 + at * 18}" cy="15" r="5" fill="#3d4450"/>`).join("");
  const defs = [...book].map(([row, name]) => `<g id="${name}">${row}</g>`).join("\n");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${title}">
<title>${title}</title>
<style>text{white-space:pre}${styles.css()}${film}</style>
<defs>
${defs}
</defs>
<rect width="${width}" height="${height}" rx="9" fill="${ground}"/>
<path d="M0 ${titleBar}V9A9 9 0 0 1 9 0H${width - 9}A9 9 0 0 1 ${width} 9V${titleBar}Z" fill="#1f242c"/>
${dots}
<svg x="${padding}" y="${titleBar + padding}" width="${inner.width}" height="${inner.height}">
<g class="film" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace" font-size="${cell.font}" fill="${ink}">
${strip.join("\n")}
</g>
</svg>
</svg>
`;
}

/** The frames lie side by side and are pulled past the window. */
function filmCss(frames, width) {
  const total = frames.reduce((sum, { ms }) => sum + ms, 0);
  let at = 0;
  const steps = frames.map(({ ms }, index) => {
    const step = `${((100 * at) / total).toFixed(2)}%{transform:translateX(-${index * width}px)}`;
    at += ms;
    return step;
  });
  const last = `transform:translateX(-${(frames.length - 1) * width}px)`;
  return `@keyframes film{${steps.join("")}100%{${last}}}.film{${last};animation:film ${(total / 1000).toFixed(1)}s step-end infinite}`;
}

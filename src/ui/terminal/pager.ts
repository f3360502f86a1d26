import { counted } from "../figures.ts";
import type { Theme } from "../rendering/theme.ts";
import { fitLine, wrapLines } from "./cells.ts";
import type { KeyPress } from "./keyboard.ts";
import type { Surface } from "./painter.ts";

export type PageContent = {
  readonly title: string;
  /** Painted, for a window of this width. */
  readonly lines: (width: number) => readonly string[];
};

export type PagerOptions = {
  readonly surface: Surface;
  readonly theme: () => Theme;
  /** Takes the live rows away from the ordinary screen, and puts them back. */
  readonly pause: () => void;
  readonly resume: () => void;
};

/** A long text to look through, on the screen that terminals keep beside their ordinary one: the scrollback is as it was afterwards. */
export type Pager = {
  /** Resolves when the person has left. */
  show(content: PageContent): Promise<void>;
  /** Answers true while it is open: every key is its own. */
  take(press: KeyPress): boolean;
  resize(): void;
  close(): void;
};

const otherScreen = { enter: "\u001b[?1049h\u001b[?1007h\u001b[?25l", leave: "\u001b[?1049l\u001b[?25h" };
const keys = "↑ ↓ PgUp PgDn Home End · q leaves";

type View = { readonly content: PageContent; readonly lines: readonly string[]; readonly top: number };

export function createPager({ surface, theme, pause, resume }: PagerOptions): Pager {
  let view: View | undefined;
  let left: (() => void) | undefined;
  const room = () => Math.max(1, surface.size().rows - 1);

  function at(content: PageContent, wanted: number, known?: readonly string[]): View {
    const { columns } = surface.size();
    const lines = known ?? wrapLines(content.lines(columns), columns);
    return { content, lines, top: Math.max(0, Math.min(wanted, lines.length - room())) };
  }

  function draw(): void {
    if (view === undefined) return;
    const { columns } = surface.size();
    const rows = view.lines.slice(view.top, view.top + room());
    const blank = Array.from({ length: room() - rows.length }, () => "");
    const text = [...rows, ...blank, theme().dim(fitLine(footOf(view, rows.length), columns))];
    surface.write(`\u001b[?2026h\u001b[H${text.map((row) => `${row}\u001b[0m\u001b[K`).join("\r\n")}\u001b[?2026l`);
  }

  function close(): void {
    if (view === undefined) return;
    view = undefined;
    surface.write(otherScreen.leave);
    resume();
    left?.();
  }

  return {
    close,
    show(content) {
      close();
      pause();
      surface.write(otherScreen.enter);
      view = at(content, 0);
      draw();
      return new Promise((resolve) => {
        left = resolve;
      });
    },
    take(press) {
      if (view === undefined) return false;
      if (press.type !== "key") return true;
      if (leaving.has(press.name)) close();
      else {
        view = at(view.content, moved(view, press.name, room()), view.lines);
        draw();
      }
      return true;
    },
    resize() {
      if (view) view = at(view.content, view.top);
      draw();
    },
  };
}

const leaving: ReadonlySet<string> = new Set(["q", "escape", "ctrl+c", "ctrl+d", "enter"]);

/** The first line to show after a key. */
function moved({ top, lines }: View, key: string, page: number): number {
  switch (key) {
    case "up":
    case "k":
    case "ctrl+p":
      return top - 1;
    case "down":
    case "j":
    case "ctrl+n":
      return top + 1;
    case "pageUp":
    case "b":
      return top - page + 1;
    case "pageDown":
    case "space":
    case "f":
      return top + page - 1;
    case "home":
    case "g":
      return 0;
    case "end":
    case "G":
      return lines.length;
    default:
      return top;
  }
}

function footOf({ content, lines, top }: View, shown: number): string {
  return `${content.title} · ${top + 1}–${top + shown} of ${counted(lines.length, "line")} · ${keys}`;
}

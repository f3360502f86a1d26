import type { Span } from "./rows.ts";
import type { Role, Theme } from "./theme.ts";

type Highlighter = typeof import("highlight.js/lib/common")["default"];

let loaded: Highlighter | undefined;
let loading: Promise<void> | undefined;

/** Large, and many conversations show no code: loaded when the first block comes. Until then, and without it, code is plain. */
export function loadHighlighter(): Promise<void> {
  loading ??= import("highlight.js/lib/common").then(
    (module) => {
      // the bundle wraps it once more than the package does
      const inner = module.default as Highlighter & { readonly default?: Highlighter };
      loaded = inner.default ?? inner;
    },
    () => {},
  );
  return loading;
}

/** Whole words of the highlighter's classes: `title.function` counts as `title`. */
const roles: Readonly<Record<string, Role>> = {
  keyword: "accent",
  built_in: "accent",
  literal: "accent",
  "selector-tag": "accent",
  name: "accent",
  operator: "text",
  string: "success",
  regexp: "success",
  char: "success",
  "meta-string": "success",
  number: "warning",
  symbol: "warning",
  bullet: "warning",
  attr: "warning",
  attribute: "warning",
  variable: "warning",
  "template-variable": "warning",
  property: "warning",
  comment: "dim",
  quote: "dim",
  doctag: "dim",
  meta: "dim",
  title: "code",
  type: "code",
  section: "heading",
  "selector-class": "code",
  "selector-id": "code",
  addition: "added",
  deletion: "removed",
  strong: "strong",
  emphasis: "emphasis",
  link: "link",
};

/** Beyond this many lines inside one comment or text, only the one that opened it is looked at again. */
const mostCarried = 12;
/** Longer lines are plain. */
export const longestCodeLine = 1_000;

export type LineHighlighter = {
  /** The next line; what it leaves open, such as a comment, goes on in the one after it. */
  next(line: string): Span[];
  /** A line that still grows, at a glance. */
  glance(line: string): Span[];
};

export function createLineHighlighter(language: string, theme: Theme): LineHighlighter {
  let carried: string[] = [];
  let openRole: Role = "text";
  const colour = (line: string) => {
    if (!loaded?.getLanguage(language) || line.length > longestCodeLine) return undefined;
    try {
      return loaded.highlight([...carried, line].join("\n"), { language, ignoreIllegals: true });
    } catch {
      return undefined;
    }
  };
  return {
    next(line) {
      const result = colour(line);
      if (result === undefined) return [{ text: line, paint: theme.text }];
      const { spans, open } = lastLineSpans(result.value, theme);
      const isOpen = (result._top as { readonly parent?: unknown } | undefined)?.parent !== undefined;
      if (!isOpen) carried = [];
      else carried = carried.length < mostCarried ? [...carried, line] : carried.slice(0, 1);
      openRole = isOpen ? open : "text";
      return spans;
    },
    glance(line) {
      const result = carried.length > 0 ? undefined : colour(line);
      return result ? lastLineSpans(result.value, theme).spans : [{ text: line, paint: theme[openRole] }];
    },
  };
}

const entities: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#x27;": "'",
};

/** The highlighter answers with HTML; only what stands behind the last line end is new. */
function lastLineSpans(html: string, theme: Theme): { spans: Span[]; open: Role } {
  const start = html.lastIndexOf("\n") + 1;
  const open: Role[] = [];
  for (const [tag] of html.slice(0, start).matchAll(/<span class="[^"]*">|<\/span>/g)) follow(tag, open);
  const spans: Span[] = [];
  let atEnd: Role = "text";
  for (const [piece] of html.slice(start).matchAll(/<[^>]*>|[^<]+/g)) {
    if (piece[0] === "<") follow(piece, open);
    else {
      const text = piece.replace(/&(?:amp|lt|gt|quot|#x27);/g, (entity) => entities[entity] ?? entity);
      atEnd = open.at(-1) ?? "text";
      spans.push({ text, paint: theme[atEnd] });
    }
  }
  // the highlighter closes at the end of the text what is still open
  return { spans, open: atEnd };
}

function follow(tag: string, open: Role[]): void {
  if (tag === "</span>") {
    open.pop();
    return;
  }
  const name = /hljs-([\w-]+)/.exec(tag)?.[1] ?? "";
  open.push(roles[name] ?? open.at(-1) ?? "text");
}

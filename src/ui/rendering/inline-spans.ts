import { type InlinePiece, inlinePieces } from "../inline-pieces.ts";
import type { Span } from "./rows.ts";
import type { Role, Theme } from "./theme.ts";

/** How a terminal shows links: as links, or as text with the address behind it. */
export type LinkStyle = "hyperlinks" | "addresses";

export type InlineOptions = { readonly theme: Theme; readonly links: LinkStyle };

type Paint = Span["paint"];

const deepest = 3;
const mixed = new WeakMap<Paint, Map<Role, Paint>>();

/** The same two always give the same function: spans that look alike are known by it. */
function mix(theme: Theme, role: Role, base: Paint): Paint {
  const known = mixed.get(base) ?? new Map<Role, Paint>();
  mixed.set(base, known);
  const paint = known.get(role) ?? ((text: string) => base(theme[role](text)));
  known.set(role, paint);
  return paint;
}

/** Part of a line of Markdown as it looks. `base` paints what has no form of its own. */
export function inlineSpans(pieces: readonly InlinePiece[], base: Paint, options: InlineOptions, depth = 0): Span[] {
  const { theme } = options;
  const inside = (text: string, role: Role) => {
    const paint = mix(theme, role, base);
    return depth >= deepest ? [{ text, paint }] : inlineSpans(inlinePieces(text), paint, options, depth + 1);
  };
  const spansOf = (piece: InlinePiece): Span[] => {
    switch (piece.type) {
      case "text":
        return [{ text: piece.text, paint: base }];
      case "code":
        return [{ text: piece.text, paint: mix(theme, "code", base) }];
      case "bold":
        return inside(piece.text, "strong");
      case "emphasis":
        return inside(piece.text, "emphasis");
      case "struck":
        return inside(piece.text, "struck");
      case "link":
        return linkSpans(piece, base, options);
    }
  };
  return pieces.flatMap(spansOf);
}

function linkSpans({ text, target }: { text: string; target: string }, base: Paint, options: InlineOptions): Span[] {
  const { theme, links } = options;
  const paint = mix(theme, "link", base);
  if (links === "hyperlinks") return [{ text, paint, link: target.replace(/[^\x21-\x7e]/gu, encodeURIComponent) }];
  if (text === target) return [{ text, paint }];
  return [
    { text, paint },
    { text: ` (${target})`, paint: mix(theme, "dim", base) },
  ];
}

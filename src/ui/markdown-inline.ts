import { escapeHtml } from "./escape-html.ts";
import { type InlinePiece, inlinePieces } from "./inline-pieces.ts";

const deepest = 3;

export function inlineHtml(text: string, depth = 0): string {
  if (depth >= deepest) return escapeHtml(text);
  return inlinePieces(text)
    .map((piece) => pieceHtml(piece, depth))
    .join("");
}

function pieceHtml(piece: InlinePiece, depth: number): string {
  switch (piece.type) {
    case "text":
      return escapeHtml(piece.text);
    case "code":
      return `<code>${escapeHtml(piece.text)}</code>`;
    case "link":
      return link(piece.target, escapeHtml(piece.text));
    case "bold":
      return `<strong>${inlineHtml(piece.text, depth + 1)}</strong>`;
    case "emphasis":
      return `<em>${inlineHtml(piece.text, depth + 1)}</em>`;
    case "struck":
      return `<del>${inlineHtml(piece.text, depth + 1)}</del>`;
  }
}

/** Nothing is fetched before somebody clicks, and then nobody is told where they come from. */
function link(target: string, html: string): string {
  return `<a href="${escapeHtml(target)}" rel="noreferrer noopener">${html}</a>`;
}

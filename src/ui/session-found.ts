import type { FoundSession, SearchHit } from "../contracts/saved-session.ts";
import { showControl } from "../platform/terminal-text.ts";
import { localTime } from "./figures.ts";
import { type Output, paint } from "./output.ts";
import { projectOf, titleOf } from "./session-table.ts";
import { cutToWidth, textWidth } from "./text-width.ts";

export type FoundOptions = { readonly output: Output; readonly width: number };

/** Sessions that a search found: each with its title, where it belongs, and the places with the words marked. */
export function foundText(
  { found, hasMore }: { readonly found: readonly FoundSession[]; readonly hasMore: boolean },
  options: FoundOptions,
): string {
  const blocks = found.map(({ session, hits }) => {
    const { output, width } = options;
    const title = paint(output, "bold", cutToWidth(titleOf(session), width));
    const about = paint(
      output,
      "dim",
      cutToWidth(`${showControl(session.id)}  ${localTime(session.endedAt)}  ${projectOf(session)}`, width),
    );
    return `${title}\n${about}\n${hits.map((hit) => hitLine(hit, options)).join("")}`;
  });
  const rest = hasMore ? "\nThere are more; further words narrow it down.\n" : "";
  return blocks.join("\n") + rest;
}

function hitLine(hit: SearchHit, { output, width }: FoundOptions): string {
  const who = hit.role === "user" ? "you" : hit.role === "tool" ? (hit.tool ?? "tool") : (hit.tool ?? "agent");
  const sign = `  ${showControl(who)}: `;
  return `${paint(output, "dim", sign)}${markedText(hit, output, width - textWidth(sign))}\n`;
}

/** With colours the words are bold; without, they stand in «». Cut to what fits. */
function markedText({ snippet, marks }: SearchHit, output: Output, width: number): string {
  let text = "";
  let used = 0;
  let at = 0;
  const add = (piece: string, style: (shown: string) => string) => {
    const shown = cutToWidth(showControl(piece), Math.max(0, width - used));
    used += textWidth(shown);
    text += shown === "" ? "" : style(shown);
  };
  for (const { start, end } of marks) {
    add(snippet.slice(at, start), (shown) => shown);
    if (output.color) add(snippet.slice(start, end), (shown) => paint(output, "cyan", shown));
    else add(`«${snippet.slice(start, end)}»`, (shown) => shown);
    at = end;
  }
  add(snippet.slice(at), (shown) => shown);
  return text;
}

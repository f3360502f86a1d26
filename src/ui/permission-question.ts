import type { PermissionAnswer, PermissionQuestion } from "../contracts/permission.ts";
import { showControl } from "../platform/terminal-text.ts";
import { type Output, paint } from "./output.ts";

/** Longest text shown whole; of a longer one both ends are shown, since the dangerous part may be at either. */
const shownLimit = 2_000;
/** Short lines must not push the head off the screen either. */
const lineLimit = 40;

/** The question as it stands on the screen: what would happen, why it is asked, what each key does. */
export function questionText({ request, because, rule }: PermissionQuestion, output: Output): string {
  const what = request.view.command ?? request.view.title;
  const always = rule === undefined ? "" : `  a always in this project  s for this session (${oneLine(rule)})`;
  return [
    "",
    paint(output, "bold", request.view.command === undefined ? `Allow ${request.view.label}?` : "Allow this command?"),
    ...shown(what).map((line) => `  ${line}`),
    paint(output, "dim", `  because ${oneLine(because)}`),
    `  y yes, once${always}  n no (default) `,
  ].join("\n");
}

/** Line by line, control characters made visible, so that what is shown is what runs. */
function shown(text: string): string[] {
  const visible = text.split("\n").map(showControl);
  const joined = visible.join("\n");
  if (joined.length <= shownLimit && visible.length <= lineLimit) return visible;
  const head = joined
    .slice(0, shownLimit / 2)
    .split("\n")
    .slice(0, lineLimit / 2);
  const tail = joined
    .slice(-shownLimit / 2)
    .split("\n")
    .slice(-lineLimit / 2);
  const left = joined.length - head.join("\n").length - tail.join("\n").length;
  return [...head, `[… ${left} characters not shown …]`, ...tail];
}

function oneLine(text: string): string {
  const visible = showControl(text);
  return visible.length <= 600 ? visible : `${visible.slice(0, 300)} … ${visible.slice(-300)}`;
}

export function answerFor(key: string): PermissionAnswer {
  switch (key) {
    case "y":
      return { type: "once" };
    case "a":
      return { type: "always" };
    case "s":
      return { type: "session" };
    default:
      return { type: "no" };
  }
}

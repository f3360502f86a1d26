import type { PermissionAnswer, PermissionQuestion } from "../contracts/permission.ts";
import { showControl } from "../platform/terminal-text.ts";
import { type Output, paint } from "./output.ts";

/** Longest text shown whole; of a longer one both ends are shown, since the dangerous part may be at either. */
const shownLimit = 2_000;

/** The question as it stands on the screen: what would happen, why it is asked, what each key does. */
export function questionText({ request, because, rule }: PermissionQuestion, output: Output): string {
  const what = request.view.command ?? request.view.title;
  const always = rule === undefined ? "" : `  a always in this project  s for this session (${showControl(rule)})`;
  return [
    "",
    paint(output, "bold", `Allow ${request.view.label}?`),
    ...shown(what).map((line) => `  ${line}`),
    paint(output, "dim", `  because ${showControl(because)}`),
    `  y yes, once${always}  n no (default) `,
  ].join("\n");
}

/** Line by line, control characters made visible, so that what is shown is what runs. */
function shown(text: string): string[] {
  const visible = text.split("\n").map(showControl);
  const joined = visible.join("\n");
  if (joined.length <= shownLimit) return visible;
  const half = shownLimit / 2;
  return [
    ...joined.slice(0, half).split("\n"),
    `[… ${joined.length - shownLimit} characters not shown …]`,
    ...joined.slice(-half).split("\n"),
  ];
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

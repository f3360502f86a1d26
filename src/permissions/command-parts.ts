import type { CommandPart } from "../contracts/permission.ts";
import type { Segment } from "./command-judge.ts";

/** The segments of a command in the order they stand in it. `settledBy` says what lets one run that is not harmless by itself. */
export function commandParts(
  command: string,
  segments: readonly Segment[],
  settledBy: (segment: Segment) => string | undefined,
): readonly CommandPart[] {
  const parts = segments.flatMap((segment) => {
    const settled = segment.decision === "allow" ? segment.reason : settledBy(segment);
    const decided =
      settled === undefined
        ? { decision: segment.decision, reason: segment.reason }
        : { decision: "allow" as const, reason: settled };
    return rangesOf(segment, command).map((range) => ({ ...range, ...decided }));
  });
  return parts.sort((a, b) => a.from - b.from || b.to - a.to);
}

type Range = Pick<CommandPart, "from" | "to">;

function rangesOf({ text, starts }: Segment, command: string): readonly Range[] {
  const placed = starts.filter((from) => command.startsWith(text, from));
  const found = placed.length > 0 ? placed : [command.indexOf(text)].filter((from) => from >= 0);
  return found.length > 0 ? found.map((from) => ({ from, to: from + text.length })) : [{ from: 0, to: command.length }];
}

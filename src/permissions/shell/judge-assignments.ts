import type { Assignment } from "unbash";
import { expandQuoted } from "./expand-word.ts";
import { asks, type Finding, reads } from "./finding.ts";
import type { Places } from "./places.ts";
import { assign, type ShellState } from "./shell-state.ts";
import { unknownValue, type Value } from "./value.ts";
import { isHarmlessToSet, isOwnVariable } from "./variables.ts";

export function isAssignment(item: { readonly type: string }): item is Assignment {
  return item.type === "Assignment";
}

export function assignedValue({ value, append, index }: Assignment, state: ShellState, places: Places): Value {
  if (value.type === "ArrayValue" || append || index) return unknownValue;
  return expandQuoted(value, state, places);
}

export function assignAll(assignments: readonly Assignment[], state: ShellState, places: Places): ShellState {
  return assignments.reduce((before, item) => assign(before, item.name, assignedValue(item, before, places)), state);
}

/** `NAME=VALUE` before a program: only for that program, but it may decide what that program runs. */
export function judgeSettings(
  settings: readonly { readonly name: string; readonly value: Value }[],
  program: string,
): Finding {
  const risky = settings.find(({ name, value }) => {
    const isSeparator = name === "IFS" && program === "read";
    return !isSeparator && !isHarmlessToSet(name, value);
  });
  return risky
    ? asks(`it sets ${risky.name}, which may change what ${program} does`)
    : reads("it sets nothing that matters");
}

/** Without a program: the variables are set for the rest of the command. */
export function judgeVariables(assignments: readonly Assignment[]): Finding {
  const risky = assignments.find(({ name, index }) => !isOwnVariable(name) || (index && !/^\d+$/.test(index.text)));
  return risky ? asks(`it sets ${risky.name}, which other programs may see`) : reads("it sets variables of its own");
}

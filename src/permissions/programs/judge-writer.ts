import { asks, asksToWriteInside, denies, type Finding, worse } from "../shell/finding.ts";
import type { Call, Judge } from "../shell/judge.ts";
import { judgeRead, judgeRemoval, judgeWrite } from "../shell/path-findings.ts";
import { concat, distinct, isStatic, literal, type Value } from "../shell/value.ts";
import { hasOption, isMisfit, type ParsedArguments, parseArguments, splitArguments } from "./options.ts";
import { plainMode, type WriteProgram, type WriteRole } from "./write-table.ts";

export function judgeWriter(spec: WriteProgram, call: Call, judge: Judge): Finding {
  const strict = parseArguments(call.args, spec.options);
  // What cannot be understood in full may still be understood well enough to refuse it.
  const parsed = isMisfit(strict) ? splitArguments(call.args) : strict;
  const finding = [
    ...judgeOperands({ role: spec.role, parsed, call }, judge),
    asksToWriteInside(`${call.program} changes files`),
  ].reduce(worse);
  return isMisfit(strict) ? worse(finding, asks(`${call.program}: ${strict.problem}`)) : finding;
}

type Invocation = { readonly role: WriteRole; readonly parsed: ParsedArguments; readonly call: Call };

function judgeOperands({ role, parsed, call }: Invocation, judge: Judge): readonly Finding[] {
  const { operands } = parsed;
  const write = (value: Value) => judgeWrite(judge.places, value, call.state);
  const [target, sources] = [operands.at(-1) ?? literal(""), operands.slice(0, -1)];
  switch (role) {
    case "creates":
      return distinct(operands).map(write);
    case "removes":
      return distinct(operands).map((value) => judgeRemoval(judge.places, value, call.state));
    case "copies":
      return [
        ...sources.map((value) => judgeRead(judge.places, value, call.state)),
        ...targetsOf(sources, target).map(write),
      ];
    case "moves":
      return [...sources.flatMap((value) => judgeMoved(value, call, judge)), ...targetsOf(sources, target).map(write)];
    case "links":
      return [...operands, ...sources.map((value) => besideLink(value, target)), ...targetsOf(sources, target)].map(
        write,
      );
    case "sets-mode":
      return judgeMode(parsed, call, judge);
  }
}

/** Where copies land: at the target itself, in it, or (when that is not yet known) in both. */
function targetsOf(sources: readonly Value[], target: Value): readonly Value[] {
  const isFolder = sources.length > 1 || /(^|\/)\.{0,2}$/.test(target.text);
  const inside = sources.map((source) => {
    const name = isStatic(source) ? source.text.replace(/\/+$/, "").split("/").at(-1) : undefined;
    return name ? concat(target, literal(`/${name}`)) : { ...target, unknownAt: target.text.length };
  });
  return isFolder ? inside : [target, ...inside];
}

/** A relative link is read from where it lies. */
function besideLink(source: Value, link: Value): Value {
  const folder = link.text.slice(0, link.text.lastIndexOf("/") + 1);
  return source.text.startsWith("/") ? source : { ...source, text: folder + source.text };
}

function judgeMoved(value: Value, call: Call, judge: Judge): readonly Finding[] {
  const places = judge.places.locate(value, call.state, "itself") ?? [];
  if (places.some(judge.places.isVital)) return [denies(`it moves ${value.text} away`)];
  return [judgeRead(judge.places, value, call.state), judgeWrite(judge.places, value, call.state)];
}

function judgeMode(parsed: ParsedArguments, call: Call, judge: Judge): readonly Finding[] {
  const [mode, ...targets] = parsed.operands;
  const isPlain = mode !== undefined && isStatic(mode) && plainMode.test(mode.text);
  const findings = targets.map((value) => judgeWrite(judge.places, value, call.state));
  if (hasOption(parsed, "-R", "--recursive") && targets.some((value) => /^\.?\/?$/.test(value.text))) {
    findings.push(asks("it changes the mode of the whole workspace"));
  }
  return isPlain ? findings : [...findings, asks(`chmod ${mode?.text ?? ""} is not a plain mode`)];
}

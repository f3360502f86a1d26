import { type HookDefinition, type HookEventName, hookEventNames } from "../contracts/hook.ts";

type Read = { readonly value: readonly HookDefinition[] } | { readonly problem: string };

const defaultTimeoutSeconds = 60;
/** What a timer can wait for. */
const maximumTimeoutSeconds = 86_400;

class Misfit extends Error {}

/** `{"PreToolUse": [{"matcher": "bash", "hooks": [{"type": "command", "command": "./check.sh", "timeout": 10}]}]}` as a flat list. */
export function readHooks(given: unknown, file: string): Read {
  try {
    const events = objectAt(given, "");
    return { value: Object.entries(events).flatMap(([event, groups]) => readEvent(event, groups, file)) };
  } catch (error) {
    if (error instanceof Misfit) return { problem: error.message };
    throw error;
  }
}

function readEvent(event: string, groups: unknown, file: string): HookDefinition[] {
  if (!(hookEventNames as readonly string[]).includes(event))
    throw new Misfit(`names an unknown event ${JSON.stringify(event)}; the events are ${hookEventNames.join(", ")}`);
  return listAt(groups, event).flatMap((group, at) => {
    const where = `${event}[${at}]`;
    const { matcher, hooks } = objectAt(group, where, ["matcher", "hooks"]);
    const pattern = readMatcher(matcher, `${where}.matcher`);
    return listAt(hooks, `${where}.hooks`).map((hook, index) => ({
      event: event as HookEventName,
      matcher: pattern,
      ...readCommand(hook, `${where}.hooks[${index}]`),
      file,
    }));
  });
}

function readMatcher(matcher: unknown, where: string): string | undefined {
  if (matcher === undefined || matcher === "" || matcher === "*") return undefined;
  if (typeof matcher !== "string") throw new Misfit(`needs a text as ${where}`);
  try {
    new RegExp(`^(?:${matcher})$`);
    return matcher;
  } catch {
    throw new Misfit(`has no valid regular expression as ${where}: ${JSON.stringify(matcher)}; for every tool use "*"`);
  }
}

function readCommand(hook: unknown, where: string): Pick<HookDefinition, "command" | "timeoutMs"> {
  const { type, command, timeout } = objectAt(hook, where, ["type", "command", "timeout"]);
  if (type !== "command") throw new Misfit(`knows only "type": "command", so ${where}.type cannot be ${shown(type)}`);
  if (typeof command !== "string" || command.trim() === "" || command.includes("\0"))
    throw new Misfit(`needs a shell command as ${where}.command`);
  if (timeout === undefined) return { command, timeoutMs: defaultTimeoutSeconds * 1000 };
  if (typeof timeout !== "number" || !(timeout > 0) || timeout > maximumTimeoutSeconds)
    throw new Misfit(`needs seconds from 0 to ${maximumTimeoutSeconds} as ${where}.timeout`);
  return { command, timeoutMs: Math.max(1, Math.round(timeout * 1000)) };
}

function objectAt(value: unknown, where: string, known?: readonly string[]): Record<string, unknown> {
  if (value === null || typeof value !== "object" || Array.isArray(value))
    throw new Misfit(
      where ? `needs an object as ${where}` : 'must be an object such as {"PreToolUse": [{"hooks": []}]}',
    );
  const stranger = known && Object.keys(value).find((key) => !known.includes(key));
  if (stranger !== undefined)
    throw new Misfit(`has an unknown key ${where}.${stranger}; known there: ${known?.join(", ")}`);
  return value as Record<string, unknown>;
}

function listAt(value: unknown, where: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new Misfit(`needs a list as ${where}`);
  return value;
}

function shown(value: unknown): string {
  return value === undefined ? "left out" : JSON.stringify(value);
}

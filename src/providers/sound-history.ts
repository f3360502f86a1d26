import type { ImagePart, Message, Part, ToolCallPart, ToolResultPart } from "../contracts/message.ts";
import { validCallId, validToolName } from "./call-names.ts";
import type { ForgottenThinking } from "./forgotten-thinking.ts";
import type { CallIdRule } from "./protocol.ts";

export type HistoryRules = {
  readonly callIds: CallIdRule;
  /** "noted": the model cannot see; a line says that there was an image. */
  readonly images: "sent" | "noted";
};

export type SoundHistory = {
  /**
   * The conversation as every vendor accepts it: it begins with the user, each call has one result before anybody else speaks, ids and names
   * are valid, and it does not end with the assistant. Messages that need no change are the same objects; those that do are changed once.
   */
  of(messages: readonly Message[]): readonly Message[];
};

/** A call that waits for its result. */
type Open = { readonly callId: string; readonly wireId: string; readonly tool: string };

/** What the messages behind one need to know of those before. */
type Round = {
  readonly open: readonly Open[];
  /** Results that nobody asked for, until the round is over. */
  readonly late: readonly string[];
};

type Held = {
  readonly source: Message[];
  readonly sound: Message[];
  /** Behind each message of the source: how many sound messages there are, and what the round lacks. */
  readonly places: (Round & { readonly end: number })[];
  /** Ids of calls that are in use. */
  readonly taken: Set<string>;
  /** Messages that stand here without their thinking. */
  readonly withoutThinking: WeakSet<Message>;
  round: Round;
  /** What was put behind an unfinished round; the same for every repetition of the request. */
  ending: { readonly round: Round; readonly behind: number; readonly messages: readonly Message[] } | undefined;
  forgottenVersion: number;
};

const noRound: Round = { open: [], late: [] };

/** Histories come from other vendors, from logs and from versions of this program: a request must be valid whatever they hold. */
export function createSoundHistory(rules: HistoryRules, forgotten: ForgottenThinking): SoundHistory {
  const conversations = new WeakMap<Message, Held>();
  return {
    of(messages) {
      const first = messages[0];
      if (first === undefined) return [opening()];
      let held = conversations.get(first);
      if (held === undefined) conversations.set(first, (held = emptyHistory()));
      const known = countUnchanged(held, messages, forgotten);
      if (known < held.source.length) goBackTo(held, known);
      for (const message of messages.slice(known)) {
        add(held, message, { rules, forgotten });
        held.source.push(message);
        held.places.push({ ...held.round, end: held.sound.length });
      }
      const ending = endingOf(held);
      return ending.length > 0 ? [...held.sound, ...ending] : held.sound;
    },
  };
}

function countUnchanged(held: Held, messages: readonly Message[], forgotten: ForgottenThinking): number {
  let same = 0;
  while (same < held.source.length && held.source[same] === messages[same]) same++;
  if (same < held.source.length) forgotten.wordsChanged(messages, same);
  if (held.forgottenVersion === forgotten.version) return same;
  held.forgottenVersion = forgotten.version;
  const stale = held.source.findIndex((message) => forgotten.has(message) && !held.withoutThinking.has(message));
  return stale < 0 ? same : Math.min(stale, same);
}

function emptyHistory(): Held {
  return {
    source: [],
    sound: [],
    places: [],
    taken: new Set(),
    withoutThinking: new WeakSet(),
    round: noRound,
    ending: undefined,
    forgottenVersion: 0,
  };
}

function goBackTo(held: Held, count: number): void {
  held.source.length = count;
  held.places.length = count;
  const { end, ...round } = held.places.at(-1) ?? { ...noRound, end: 0 };
  held.sound.length = end;
  held.round = round;
  held.taken.clear();
  for (const message of held.sound)
    for (const part of message.parts) if (part.type === "tool-call") held.taken.add(part.callId);
}

type Reading = { readonly rules: HistoryRules; readonly forgotten: ForgottenThinking };

function add(held: Held, message: Message, reading: Reading): void {
  switch (message.role) {
    case "tool":
      addResults(held, message, reading.rules);
      return;
    case "user":
      held.sound.push(...endingOfRound(held.round), withNotedImages(message, reading.rules));
      held.round = noRound;
      return;
    case "assistant":
      held.sound.push(...endingOfRound(held.round));
      if (held.sound.length === 0) held.sound.push(opening());
      addAnswer(held, message, reading);
  }
}

function addAnswer(held: Held, message: Message, { rules, forgotten }: Reading): void {
  const open: Open[] = [];
  const isForgotten = forgotten.has(message);
  if (isForgotten) held.withoutThinking.add(message);
  const parts: Part[] = [];
  for (const part of message.parts) {
    if (part.type === "text" || (part.type === "thinking" && !isForgotten)) parts.push(part);
    else if (part.type === "image") parts.push({ type: "text", text: `[an image (${part.mediaType}) was here]` });
    else if (part.type === "tool-call") {
      const call = withValidNames(part, rules.callIds, held.taken);
      held.taken.add(call.callId);
      open.push({ callId: part.callId, wireId: call.callId, tool: call.tool });
      parts.push(call);
    }
  }
  held.sound.push(isSame(parts, message.parts) ? message : { ...message, parts });
  held.round = { open, late: [] };
}

function withValidNames(call: ToolCallPart, rule: CallIdRule, taken: Set<string>): ToolCallPart {
  const callId = validCallId(call.callId, rule, taken);
  const tool = validToolName(call.tool);
  return callId === call.callId && tool === call.tool ? call : { ...call, callId, tool };
}

function addResults(held: Held, message: Message, rules: HistoryRules): void {
  const results: ToolResultPart[] = [];
  let { open, late } = held.round;
  for (const part of message.parts) {
    if (part.type !== "tool-result") continue;
    const call = open.find(({ callId }) => callId === part.callId);
    if (call === undefined) late = [...late, `[result of ${part.tool} (${part.callId})]\n${part.text}`];
    else {
      open = open.filter((other) => other !== call);
      results.push(withNotedImagesOf(named(part, call), rules));
    }
  }
  if (results.length > 0) held.sound.push(isSame(results, message.parts) ? message : { ...message, parts: results });
  held.round = { open, late };
  if (open.length > 0 || late.length === 0) return;
  held.sound.push(...endingOfRound(held.round));
  held.round = noRound;
}

function named(part: ToolResultPart, { wireId, tool }: Open): ToolResultPart {
  return part.callId === wireId && part.tool === tool ? part : { ...part, callId: wireId, tool };
}

/** What a round lacks when somebody else speaks: results for the calls that have none, then the results that belong to no call. */
function endingOfRound({ open, late }: Round): Message[] {
  const missing = open.map(
    ({ wireId, tool }): Message => ({
      id: `no-result-${wireId}`,
      role: "tool",
      parts: [{ type: "tool-result", callId: wireId, tool, text: "[no result]", isError: true, handle: "" }],
    }),
  );
  return late.length === 0 ? missing : [...missing, userSays("late-results", late.join("\n\n"))];
}

/** No part of the history: the next request may know better. */
function endingOf(held: Held): readonly Message[] {
  const behind = held.sound.length;
  if (held.ending?.round === held.round && held.ending.behind === behind) return held.ending.messages;
  const messages = endingOfRound(held.round);
  const last = messages.at(-1) ?? held.sound.at(-1);
  if (last === undefined) messages.push(opening());
  else if (last.role === "assistant") messages.push(goOn);
  held.ending = { round: held.round, behind, messages };
  return messages;
}

function userSays(id: string, text: string): Message {
  return { id, role: "user", parts: [{ type: "text", text }], synthetic: true };
}

const opening = () => userSays("opening", "[the beginning of this conversation is not shown]");
const goOn = userSays("go-on", "Go on.");

const noteOf = ({ mediaType }: ImagePart) => `[an image (${mediaType}) is here, which this model cannot see]`;

function withNotedImages(message: Message, { images }: HistoryRules): Message {
  if (images === "sent" || !message.parts.some((part) => part.type === "image")) return message;
  const parts = message.parts.map(
    (part): Part => (part.type === "image" ? { type: "text", text: noteOf(part) } : part),
  );
  return { ...message, parts };
}

function withNotedImagesOf(result: ToolResultPart, rules: HistoryRules): ToolResultPart {
  const { images, ...rest } = result;
  if (rules.images === "sent" || images === undefined || images.length === 0) return result;
  return { ...rest, text: [rest.text, ...images.map(noteOf)].join("\n") };
}

function isSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((part, i) => part === b[i]);
}

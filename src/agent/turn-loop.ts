import type { FitOptions } from "../contracts/context.ts";
import { ProviderError } from "../contracts/errors.ts";
import type { TurnOutcome } from "../contracts/event.ts";
import { type Message, type Part, type StopReason, textOf, toolCallsOf, type Usage } from "../contracts/message.ts";
import type { ModelAnswer } from "../contracts/provider.ts";
import { monotonicMs } from "../platform/clock.ts";
import type { Conversation } from "./conversation.ts";
import { callHooks, hookMessage, stopLimit } from "./hook-points.ts";
import { callModel, partialTextOf, type RequestBudget } from "./model-call.ts";
import { createRepeatGuard, type RepeatGuard } from "./repeat-guard.ts";
import type { ToolRound } from "./tool-runner.ts";

/** How often an answer that was cut off is continued. */
const continuationLimit = 3;

const continuations: Partial<Record<StopReason, string>> = {
  length: "[notice: your answer reached the output limit. Continue exactly where it stopped; repeat nothing.]",
  interrupted:
    "[notice: your answer was interrupted by a broken connection. Continue exactly where it stopped; repeat nothing.]",
};

/** One prompt, until the model asks for no more tools. Everything that happens goes out as events and into the log. */
export async function runTurn(
  conversation: Conversation,
  signal: AbortSignal,
  takePending: (signal: AbortSignal) => Promise<void>,
): Promise<TurnOutcome> {
  const { options, meter } = conversation;
  const guard = createRepeatGuard();
  let continued = 0;
  let sentOn = 0;
  let budget: RequestBudget = { used: 0 };
  for (;;) {
    if (signal.aborted) return { type: "interrupted" };
    if (meter.rounds >= options.maxRounds) return { type: "round-limit", rounds: meter.rounds };
    if (meter.rounds > 0) await takePending(signal);
    const { pendingNotices, extensions = [] } = options;
    for (const text of [pendingNotices, ...extensions.map((each) => each.pendingNotices)].flatMap(
      (take) => take?.() ?? [],
    ))
      conversation.add({ role: "user", synthetic: true, parts: [{ type: "text", text }] });
    await conversation.fit({ signal, ...(await wishOf(conversation, signal)) });
    const round = conversation.startRound(signal);
    const message = await askOrFallBack({ conversation, round, signal, budget });
    meter.rounds++;
    const calls = toolCallsOf(message);
    const notice = continuations[message.stopReason ?? "end"];
    if (calls.length === 0 && notice !== undefined) {
      if (continued++ >= continuationLimit) return giveUpOn(message.stopReason, conversation);
      if (message.stopReason === "length") budget = { used: 0 };
      conversation.add({ role: "user", synthetic: true, parts: [{ type: "text", text: notice }] });
      continue;
    }
    if (calls.length === 0) {
      const reason = await reasonToGoOn(conversation, signal, sentOn++);
      if (reason === undefined) return { type: "done" };
      conversation.add(hookMessage("Stop", reason));
      budget = { used: 0 };
      continue;
    }
    continued = 0;
    budget = { used: 0 };
    await answerCalls({ conversation, round, message, guard });
    if (signal.aborted) return { type: "interrupted" };
    if (conversation.stopWish !== undefined) return stoppedByHook(conversation, conversation.stopWish);
    if (guard.stuck) return { type: "repetition", ...guard.stuck };
  }
}

function stoppedByHook(conversation: Conversation, reason: string): TurnOutcome {
  conversation.emit({ type: "notice", text: `A hook stopped the agent: ${reason}` });
  return { type: "done" };
}

/** What a Stop hook finds left to do; a hook that never finds an end is overruled. */
async function reasonToGoOn(
  { options, emit }: Conversation,
  signal: AbortSignal,
  sentOn: number,
): Promise<string | undefined> {
  const caller = { hooks: options.hooks, signal, emit };
  const { block, stop } = await callHooks(caller, { type: "Stop", isActive: sentOn > 0 });
  if (block === undefined || stop !== undefined || signal.aborted) return undefined;
  if (sentOn < stopLimit) return block;
  emit({
    type: "notice",
    text: `Stop hooks sent the agent on ${stopLimit} times; it ends here. The last one said: ${block}`,
  });
  return undefined;
}

/** A cut answer is never passed off as a whole one. */
function giveUpOn(stopReason: StopReason | undefined, conversation: Conversation): TurnOutcome {
  if (stopReason === "interrupted")
    throw new ProviderError("broken-stream", "the connection broke again and again; the answer is incomplete");
  conversation.emit({
    type: "notice",
    text: `The answer is incomplete: it reached the output limit ${continuationLimit + 1} times. Raise --max-tokens, or ask for the rest.`,
  });
  return { type: "done" };
}

/** The model asked to fold the conversation: done before its next call, when every call of its answer has its result. */
async function wishOf(conversation: Conversation, signal: AbortSignal): Promise<Pick<FitOptions, "force" | "focus">> {
  const wish = conversation.compactionWish;
  if (wish === undefined) return {};
  conversation.compactionWish = undefined;
  const refusal = await conversation.foldRefusal(wish.focus, signal);
  if (refusal === undefined) return { force: "summarise", ...(wish.focus ? { focus: wish.focus } : {}) };
  conversation.add(hookMessage("PreCompact", `The conversation was not folded: ${refusal}`));
  return {};
}

type Asking = { conversation: Conversation; round: ToolRound; signal: AbortSignal; budget: RequestBudget };

/** A model that stays overloaded gives way to the one the person named for that case. */
async function askOrFallBack(asking: Asking): Promise<Message> {
  const { conversation } = asking;
  const { model, fallBack } = conversation.options;
  const first = model();
  try {
    return await askWithinWindow(asking);
  } catch (error) {
    const isOverloaded = error instanceof ProviderError && error.code === "overloaded" && partialTextOf(error) === "";
    const other = isOverloaded ? fallBack?.() : undefined;
    if (other === undefined) throw error;
    conversation.emit({ type: "notice", text: `${first} stays overloaded; going on with ${other}.` });
    return askWithinWindow({ ...asking, budget: { used: 0 } });
  }
}

/** A view that the vendor finds too long is collapsed and sent once more; never twice. */
async function askWithinWindow(asking: Asking): Promise<Message> {
  try {
    return await askModel(asking);
  } catch (error) {
    if (!(error instanceof ProviderError) || error.code !== "context-overflow") throw error;
    const { limitTokens } = error;
    const { conversation } = asking;
    // a limit that does not fit what was sent is about something else
    if (limitTokens !== undefined && (conversation.requestTokens ?? 0) > 0.8 * limitTokens)
      conversation.options.onWindowLearned?.(limitTokens);
    const receipt = await conversation.fit({
      signal: asking.signal,
      force: "collapse",
      ...(error.limitTokens ? { limitTokens: error.limitTokens } : {}),
    });
    if (receipt === undefined) throw error;
    return askModel(asking);
  }
}

/** The assistant's message is on disk when this returns; no call that changes anything has been started before. */
async function askModel({ conversation, round, signal, budget }: Asking): Promise<Message> {
  const { options, meter } = conversation;
  const ticket = await conversation.enterPurse(signal);
  const startedAt = monotonicMs();
  const request = conversation.request();
  try {
    const answer = await callModel({
      provider: options.provider(),
      request,
      signal,
      budget,
      retryBaseMs: options.retryBaseMs,
      emit: conversation.emit,
      onCall: round.offer,
      onRestart: round.discard,
    }).catch((error: unknown) => {
      ticket?.fail(partialTextOf(error) === "" ? "nothing" : "something");
      throw error;
    });
    if (answer.stopReason === "interrupted" && answer.usage === undefined) ticket?.fail("something");
    else ticket?.settle(answer.usage);
    refuseCutPrompt(answer, conversation);
    const miss = conversation.cacheWatch?.observe(request, answer.usage, startedAt);
    if (miss) conversation.emit({ type: "cache.missed", ...miss });
    return conversation.add(assistantMessage(answer));
  } catch (error) {
    const text = partialTextOf(error);
    if (text)
      conversation.add(
        assistantMessage({ parts: [{ type: "text", text }], stopReason: "interrupted", usage: undefined }),
      );
    throw error;
  } finally {
    meter.apiMs += monotonicMs() - startedAt;
  }
}

/** A server that read less than half of what was sent has cut it; its answer is about something else. */
function refuseCutPrompt({ mayBeCut, usage }: ModelAnswer, { requestTokens }: Conversation): void {
  if (!mayBeCut || usage === undefined || requestTokens === undefined || usage.inputTokens >= requestTokens / 2) return;
  throw new ProviderError(
    "context-overflow",
    `the server read only ${usage.inputTokens} of about ${requestTokens} tokens`,
    {
      limitTokens: usage.inputTokens,
    },
  );
}

function assistantMessage({ parts, stopReason, usage }: ModelAnswer): Omit<Message, "id"> {
  const kept: readonly Part[] = parts.length > 0 ? parts : [{ type: "text", text: "" }];
  return { role: "assistant", parts: kept, stopReason, ...(usage ? { usage: usage as Usage } : {}) };
}

type Answering = { conversation: Conversation; round: ToolRound; message: Message; guard: RepeatGuard };

async function answerCalls({ conversation, round, message, guard }: Answering): Promise<void> {
  const calls = toolCallsOf(message);
  let index = 0;
  for await (const result of round.run(calls)) {
    const call = calls[index++];
    if (call === undefined) break;
    const cut = message.stopReason === "length" && call.input === undefined;
    const seen = cut
      ? {
          ...result,
          text: `This call was cut off by the output limit and was not run. Send it again in smaller pieces.\n${result.text}`,
        }
      : result;
    conversation.add({ role: "tool", parts: [guard.observe(call, seen)] });
  }
}

/** What the person reads as the answer: the last message, with the pieces it was continued from. */
export function finalText(history: readonly Message[]): string {
  let text = "";
  for (const message of history.toReversed()) {
    if (message.role === "user" && message.synthetic) continue;
    if (message.role !== "assistant") break;
    const isCut = message.stopReason === "length" || message.stopReason === "interrupted";
    if (text !== "" && !isCut) break;
    text = textOf(message) + text;
  }
  return text;
}

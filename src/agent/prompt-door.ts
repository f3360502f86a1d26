import { exitCode, UserError } from "../contracts/errors.ts";
import type { HookOutcome } from "../contracts/hook.ts";
import type { Part } from "../contracts/message.ts";
import type { Conversation } from "./conversation.ts";
import { callHooks, hookMessage } from "./hook-points.ts";

/** How a prompt enters the conversation: past the hooks that greet a session and look at prompts. */
export type PromptDoor = {
  /** Adds the prompt, and behind it what hooks want the model to know. Throws UserError when a hook refuses it; then nothing was added. */
  enter(parts: readonly Part[], signal: AbortSignal): Promise<void>;
  /** The conversation was cleared: the next prompt begins a session again. */
  startAgain(): void;
};

export function createPromptDoor(conversation: Conversation): PromptDoor {
  const { options, emit, add } = conversation;
  const { hooks } = options;
  let greeting = hooks && greet(options.restored ? "resume" : "startup");

  /** Begun at once, so that it is over when the person has typed. Ends with the program at the latest. */
  function greet(source: "startup" | "resume" | "clear"): Promise<HookOutcome> | undefined {
    if (!hooks?.wants("SessionStart")) return undefined;
    return hooks.run({ type: "SessionStart", source }, new AbortController().signal);
  }

  async function greeted(signal: AbortSignal): Promise<HookOutcome | undefined> {
    const outcome = greeting && (await orAborted(greeting, signal));
    if (outcome === undefined) return undefined;
    greeting = undefined;
    for (const text of outcome.notices) emit({ type: "notice", text });
    return outcome;
  }

  async function addWithKnowledge(parts: readonly Part[], signal: AbortSignal): Promise<void> {
    const prompt = wordsOf(parts);
    add({ role: "user", parts });
    for (const extension of options.extensions ?? []) {
      const text = await extension.onPrompt?.(prompt, signal);
      if (text !== undefined) add({ role: "user", synthetic: true, parts: [{ type: "text", text }] });
    }
  }

  return {
    async enter(parts, signal) {
      if (hooks === undefined) return addWithKnowledge(parts, signal);
      const start = await greeted(signal);
      const prompt = wordsOf(parts);
      const { block, stop, context } = await callHooks({ hooks, signal, emit }, { type: "UserPromptSubmit", prompt });
      const refusal = start?.stop ?? block ?? stop;
      if (refusal !== undefined) throw new UserError(exitCode.failed, `A hook refused the prompt: ${refusal}`);
      await addWithKnowledge(parts, signal);
      if (start?.context !== undefined) add(hookMessage("SessionStart", start.context));
      if (context !== undefined) add(hookMessage("UserPromptSubmit", context));
    },
    startAgain() {
      greeting = greet("clear");
    },
  };
}

function wordsOf(parts: readonly Part[]): string {
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}

function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const abort = () => resolve(undefined);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

import type { ToolCallPart, ToolResultPart } from "../contracts/message.ts";

/** A call repeated with the same result this often is pointed out to the model… */
const noticeAfter = 3;
/** …and after this many the turn is stopped. Waiting for something looks the same, so there is room between the two. */
const stopAfter = 11;

export type RepeatGuard = {
  /** The result, with a word to the model when it has seen exactly this before. */
  observe(call: ToolCallPart, result: ToolResultPart): ToolResultPart;
  /** Set once the same call has brought the same result too often. */
  readonly stuck: { readonly tool: string; readonly times: number } | undefined;
};

export function createRepeatGuard(): RepeatGuard {
  let last = "";
  let times = 0;
  let stuck: RepeatGuard["stuck"];
  return {
    observe(call, result) {
      const signature = JSON.stringify([call.tool, call.rawInput, result.text]);
      times = signature === last ? times + 1 : 1;
      last = signature;
      if (times >= stopAfter) stuck = { tool: call.tool, times };
      if (times < noticeAfter) return result;
      const notice = `[notice: this exact call has now given this exact result ${times} times in a row. Repeating it will not help; try something else or say what is missing.]`;
      return { ...result, text: `${result.text}\n\n${notice}` };
    },
    get stuck() {
      return stuck;
    },
  };
}

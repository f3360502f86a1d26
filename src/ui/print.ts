import type { AgentEvent, TurnOutcome } from "../contracts/event.ts";
import { textOf } from "../contracts/message.ts";
import { stripControl } from "../platform/terminal-text.ts";
import { type Output, paint } from "./output.ts";
import { receiptLine } from "./receipt-line.ts";
import { finishedLine, startedLine } from "./tool-line.ts";

/** Text mode: the answer on standard output as it arrives, everything else on standard error. */
export async function printEvents(events: AsyncIterable<AgentEvent>, output: Output): Promise<TurnOutcome> {
  let outcome: TurnOutcome = { type: "interrupted" };
  const print = createPrinter(output);
  for await (const event of events) {
    print(event);
    if (event.type === "turn.finished") outcome = event.outcome;
  }
  return outcome;
}

/** One event after the other; keeps track of where the cursor is. */
export function createPrinter(output: Output): (event: AgentEvent) => void {
  let midLine = false;
  const aside = (text: string) => {
    if (text === "") return;
    if (midLine && output.oneScreen) {
      output.out("\n");
      midLine = false;
    }
    output.err(text);
  };
  return (event) => {
    switch (event.type) {
      case "text.delta": {
        if (event.parentCallId) break;
        const text = stripControl(event.text);
        output.out(text);
        if (text !== "") midLine = !text.endsWith("\n");
        break;
      }
      case "message.added": {
        const { message } = event;
        const isCut = message.stopReason === "length" || message.stopReason === "interrupted";
        if (!event.parentCallId && message.role === "assistant" && textOf(message) !== "" && !isCut && midLine) {
          output.out("\n");
          midLine = false;
        }
        break;
      }
      case "tool.started":
        aside(startedLine(event, output));
        break;
      case "tool.finished":
        aside(finishedLine(event, output));
        break;
      case "retrying":
        aside(
          `${paint(output, "dim", `Trying again in ${(event.delayMs / 1000).toFixed(1)} s: ${stripControl(event.reason)}`)}\n`,
        );
        break;
      case "context.edited":
        if (event.receipt) aside(`${paint(output, "dim", receiptLine(event.receipt))}\n`);
        break;
      case "cache.missed": {
        const { expectedTokens, readTokens, cause } = event;
        if (output.isVerbose)
          aside(
            `${paint(output, "dim", `Cache miss: ${readTokens} of about ${expectedTokens} tokens were read from the cache; ${cause}.`)}\n`,
          );
        break;
      }
      case "notice":
        aside(`${paint(output, "dim", stripControl(event.text))}\n`);
        break;
      case "turn.finished":
        if (midLine) output.out("\n");
        midLine = false;
        break;
      case "thinking.delta":
      case "answer.restarted":
      case "tool.progress":
        break;
    }
  };
}

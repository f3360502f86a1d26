import type { createApp } from "../app.ts";
import type { SlashCommand } from "../contracts/command.ts";
import { messageOf, UserError } from "../contracts/errors.ts";
import type { AgentEvent, TurnOutcome } from "../contracts/event.ts";
import { permissionModes } from "../contracts/permission.ts";
import { type ControlRequest, type Prompt, readPromptLines } from "./prompt-source.ts";

type Answering = {
  readonly app: Pick<ReturnType<typeof createApp>, "permissions" | "setModel">;
  readonly commands: readonly SlashCommand[];
  readonly send: (prompt: Prompt, signal: AbortSignal) => AsyncIterable<AgentEvent>;
  readonly tell: (prompt: Prompt, events: AsyncIterable<AgentEvent>) => Promise<TurnOutcome>;
  /** What a prompt stands for. Throws UserError. */
  readonly meaning: (prompt: Prompt) => Promise<Prompt>;
  readonly stop: AbortSignal;
  readonly write: (line: object) => void;
  readonly complain: (text: string) => void;
};

/** Prompt after prompt from standard input. A line that is none is reported, and the exit code says so at the end. */
export async function answerLines(
  answering: Answering,
): Promise<{ readonly outcome: TurnOutcome; readonly isSound: boolean }> {
  const { send, tell, meaning, stop, write, complain } = answering;
  let turn = new AbortController();
  let isSound = true;
  const onProblem = (text: string) => {
    isSound = false;
    complain(text);
  };
  const { prompts } = readPromptLines({
    onProblem,
    onControl: (asked) => write(answerTo(asked, answering, () => turn.abort())),
  });
  let outcome: TurnOutcome = { type: "done" };
  for await (const given of prompts) {
    turn = new AbortController();
    try {
      const prompt = await meaning(given);
      outcome = await tell(prompt, send(prompt, AbortSignal.any([stop, turn.signal])));
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      onProblem(error.message);
    }
    if (stop.aborted) break;
  }
  return { outcome, isSound };
}

/** Every request is answered: who sent it waits. */
function answerTo({ id, request }: ControlRequest, answering: Answering, interrupt: () => void): object {
  let response: object;
  try {
    response = { subtype: "success", request_id: id, response: carryOut(request, answering, interrupt) };
  } catch (error) {
    response = { subtype: "error", request_id: id, error: messageOf(error) };
  }
  return { type: "control_response", response };
}

function carryOut(request: ControlRequest["request"], { app, commands }: Answering, interrupt: () => void): object {
  switch (request.subtype) {
    case "initialize": {
      const listed = commands.map(({ name, summary, usage = "" }) => ({
        ...{ name, description: summary, argumentHint: usage },
      }));
      return { commands: listed, output_style: "default", available_output_styles: ["default"] };
    }
    case "interrupt":
      interrupt();
      return {};
    case "set_permission_mode": {
      const mode = permissionModes.find((name) => name === request.mode);
      if (mode === undefined) throw new Error(`there is no mode ${request.mode}: ${permissionModes.join(", ")}`);
      app.permissions.setMode(mode);
      return { mode };
    }
    case "set_model":
      if (typeof request.model !== "string") throw new Error("set_model needs the name of a model");
      app.setModel(request.model);
      return {};
    default:
      throw new Error(
        `${request.subtype} is not known here: initialize, interrupt, set_permission_mode and set_model are`,
      );
  }
}

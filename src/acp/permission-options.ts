import type { PermissionOption, RequestPermissionRequest, RequestPermissionResponse } from "@agentclientprotocol/sdk";
import type { PermissionAnswer, PermissionQuestion } from "../contracts/permission.ts";
import { kindOf, locationsOf, textContent, titleOf } from "./tool-call-content.ts";

/** A question to the person, as the editor puts it. */
export function permissionRequest(
  { request, because, rule, callId }: PermissionQuestion,
  sessionId: string,
): RequestPermissionRequest {
  const { view, cwd } = request;
  const lasting: PermissionOption[] =
    rule === undefined
      ? []
      : [
          { optionId: "session", name: `Allow ${rule} in this session`, kind: "allow_always" },
          { optionId: "always", name: `Always allow ${rule} in this project`, kind: "allow_always" },
        ];
  return {
    sessionId,
    toolCall: {
      toolCallId: callId,
      title: titleOf(view),
      kind: kindOf(view),
      status: "pending",
      locations: locationsOf(view, cwd),
      content: [textContent(`Asked because ${because}.`)],
      ...(view.command === undefined ? {} : { rawInput: { command: view.command } }),
    },
    options: [
      { optionId: "once", name: "Allow once", kind: "allow_once" },
      ...lasting,
      { optionId: "no", name: "Do not allow", kind: "reject_once" },
    ],
  };
}

/** Anything but a clear yes is a no. */
export function answerOf({ outcome }: RequestPermissionResponse): PermissionAnswer {
  if (outcome.outcome !== "selected") return { type: "no" };
  const { optionId } = outcome;
  return optionId === "once" || optionId === "session" || optionId === "always" ? { type: optionId } : { type: "no" };
}

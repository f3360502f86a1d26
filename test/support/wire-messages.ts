import type { RecordedRequest, WireMessage } from "../../src/testing/index.ts";

/** The text of a message as it was sent, whether as a string or as parts. */
export function contentText(message: WireMessage | undefined): string {
  const content = message?.content;
  if (typeof content === "string") return content;
  const parts = Array.isArray(content) ? (content as { readonly text?: string }[]) : [];
  return parts.map((part) => part.text ?? "").join("");
}

/** The texts of the tool messages of a request, in order. */
export function toolTexts(request: RecordedRequest | undefined): string[] {
  return (request?.body.messages ?? []).filter((message) => message.role === "tool").map(contentText);
}

/** The text of the last tool message of a request: what the newest call was answered. */
export function lastToolText(request: RecordedRequest | undefined): string {
  return toolTexts(request).at(-1) ?? "";
}

export function messagesWithRole(request: RecordedRequest | undefined, role: string): WireMessage[] {
  return (request?.body.messages ?? []).filter((message) => message.role === role);
}

export function toolNames(request: RecordedRequest | undefined): string[] {
  return (request?.body.tools ?? []).map((tool) => tool.function?.name ?? tool.name ?? "");
}

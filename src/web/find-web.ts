import type { Extension, ExtensionContext } from "../contracts/extension.ts";

/** Reading the web is offered where the person's rules or settings speak of a network; nowhere else is anything loaded or sent. */
export async function findWeb({ network }: ExtensionContext): Promise<Extension | undefined> {
  if (network === undefined) return undefined;
  const { createWebFetch } = await import("./web-fetch.ts");
  return { tools: [createWebFetch(network)] };
}

import type { Client } from "@modelcontextprotocol/client";
import { cleanText } from "./clean-text.ts";
import { fieldsOf, type Listing, readPrompts, readTools } from "./listing.ts";

/** Whatever comes is taken: what a server sends is read field by field, so that one odd tool does not cost the others. */
export const anything = {
  "~standard": { version: 1 as const, vendor: "corecoder", validate: (value: unknown) => ({ value }) },
};

const maxPages = 50;
/** For what a server has not said that it can. */
const undeclaredMs = 2_000;

type Limits = { readonly timeoutMs: number; readonly signal: AbortSignal };

/** Everything a server offers. Some have tools and forget to say so. */
export async function listOffers(client: Client, limits: Limits): Promise<Listing> {
  const { tools, prompts, resources } = client.getServerCapabilities() ?? {};
  const brief = { ...limits, timeoutMs: Math.min(limits.timeoutMs, undeclaredMs) };
  const listed = tools ? pagesOf(client, "tools", limits) : pagesOf(client, "tools", brief).catch(() => []);
  return {
    tools: readTools(await listed),
    // a server that fails to list its prompts still has tools
    prompts: prompts ? readPrompts(await pagesOf(client, "prompts", limits).catch(() => [])) : [],
    hasResources: resources !== undefined,
    instructions: cleanText(client.getInstructions(), 1_000),
  };
}

async function pagesOf(client: Client, what: "tools" | "prompts", limits: Limits): Promise<readonly unknown[]> {
  const { timeoutMs: timeout, signal } = limits;
  const items: unknown[] = [];
  let cursor: unknown;
  for (let page = 0; page < maxPages; page++) {
    const params = typeof cursor === "string" ? { cursor } : {};
    const result = fieldsOf(await client.request({ method: `${what}/list`, params }, anything, { timeout, signal }));
    const list = result[what];
    if (Array.isArray(list)) items.push(...list);
    cursor = result.nextCursor;
    if (typeof cursor !== "string" || cursor === "") break;
  }
  return items;
}

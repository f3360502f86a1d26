import { type Post, post as postDirectly } from "./http-stream.ts";
import { readText } from "./read-response.ts";

export type GetOptions = {
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; left out: a GET. */
  readonly body?: unknown;
  readonly signal: AbortSignal;
  /** Left out: straight over the network. */
  readonly post?: Post;
};

/** Lists of hundreds of models stay below this. */
const longestText = 8_000_000;

/** What a server says, or undefined: it is not there, has no such page, or answers with something else. Nothing depends on it. */
export async function getJson({ url, headers, body, signal, post = postDirectly }: GetOptions): Promise<unknown> {
  try {
    const response = await post({
      ...(body === undefined ? { method: "GET" } : {}),
      url,
      headers: { accept: "application/json", "user-agent": "corecoder", ...headers },
      body: body === undefined ? [] : [Buffer.from(JSON.stringify(body))],
      signal,
    });
    const isGood = response.head.statusCode === 200;
    if (!isGood) return void response.head.destroy();
    const stop = () => response.head.destroy();
    signal.addEventListener("abort", stop, { once: true });
    const text = await readText(response, longestText);
    signal.removeEventListener("abort", stop);
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

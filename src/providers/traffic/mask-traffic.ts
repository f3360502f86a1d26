import type { IncomingHttpHeaders } from "node:http";
import { maskSecrets } from "../../platform/mask-secrets.ts";
import type { PostOptions } from "../http-stream.ts";
import { isSecretHeader } from "../secret-header.ts";
import type { Exchange, RecordedResponse } from "./exchange.ts";
import { withoutSplitSecrets } from "./split-secrets.ts";

const hidden = "[masked]";
const secretParameter = /^(?:key|api[-_]?key|access[-_]?token|token|sig|signature|code)$/i;

export type Mask = (text: string) => string;

/** Takes out the key that goes along with the request, wherever it is repeated, and everything that has the shape of a secret. */
export function maskFor(headers: Readonly<Record<string, string>>): Mask {
  const keys = Object.entries(headers)
    .filter(([name]) => isSecretHeader(name))
    .map(([, value]) => value.replace(/^\w+ /, ""))
    .filter((key) => key.length >= 6);
  return (text) => maskSecrets(keys.reduce((clean, key) => clean.replaceAll(key, hidden), text));
}

export function maskedRequest({ method, url, headers, body }: PostOptions, mask: Mask): Exchange["request"] {
  return {
    method: method ?? "POST",
    url: maskedUrl(url, mask),
    headers: maskedHeaders(headers, mask),
    body: mask(Buffer.concat(body).toString()),
  };
}

export function maskedHeaders(headers: IncomingHttpHeaders, mask: Mask): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      if (value === undefined) return [];
      return [[name, isSecretHeader(name) ? hidden : mask(Array.isArray(value) ? value.join(", ") : value)]];
    }),
  );
}

export function maskedUrl(url: URL, mask: Mask): string {
  const shown = new URL(url);
  if (shown.password !== "") shown.password = hidden;
  for (const name of shown.searchParams.keys()) if (secretParameter.test(name)) shown.searchParams.set(name, hidden);
  return mask(shown.href);
}

type Body = Pick<RecordedResponse, "body" | "cuts">;

/** Masked line by line: the cuts move only in lines that became shorter. */
export function maskedBody({ body, cuts }: Body, mask: Mask): Body {
  let text = "";
  let before = 0;
  let after = 0;
  let next = 0;
  const moved: [number, number][] = [];
  const lines = body.split(/(?<=\n)/);
  const joined = withoutSplitSecrets(lines, mask);
  for (const [i, line] of lines.entries()) {
    const clean = mask(joined[i] ?? line);
    const size = Buffer.byteLength(line);
    const cleanSize = clean === line ? size : Buffer.byteLength(clean);
    for (; next < cuts.length; next++) {
      const [end, ms] = cuts[next] as readonly [number, number];
      if (end > before + size) break;
      moved.push([after + Math.min(end - before, cleanSize), ms]);
    }
    text += clean;
    before += size;
    after += cleanSize;
  }
  const last = moved.at(-1);
  if (last !== undefined) last[0] = after;
  return { body: text, cuts: moved };
}

import type { IncomingHttpHeaders } from "node:http";
import { ProviderError, type ProviderErrorCode } from "../contracts/errors.ts";
import { isContextOverflow, statedLimit } from "./context-overflow.ts";

/** What an endpoint says when it says no, as one error with a code. */

const longestWaitMs = 120_000;

const quotaWording = /insufficient_quota|exceeded your current quota|credit balance|billing|payment required/i;
/** Google says "quota" for limits that are over in a minute, and then how long to wait. */
const passingQuota = /^(?![\s\S]*PerDay)[\s\S]*"retryDelay"/;
const keyWording = /API_KEY_INVALID|API key (?:not valid|expired)|invalid[_ ]api[_ ]key/i;
const filterWording = /content_filter|content management policy|content_policy|bio_policy/i;

export function errorFromResponse(status: number, headers: IncomingHttpHeaders, body: string): ProviderError {
  const message = sentElsewhere(status, headers) ?? describeBody(body);
  const code = codeOf(status, body);
  const retryAfterMs = isPassing(code) ? retryAfter(headers, body) : undefined;
  return new ProviderError(code, `HTTP ${status}${message ? `: ${message}` : ""}`, {
    status,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...limitIn(code, body),
  });
}

/** Keys are not sent after a redirect: it may lead anywhere. */
function sentElsewhere(status: number, { location }: IncomingHttpHeaders): string | undefined {
  if (status < 300 || status >= 400 || location === undefined) return undefined;
  const to = URL.canParse(location) ? new URL(location) : undefined;
  return `the server sends requests on to ${to ? to.origin + to.pathname : location}. If that is right, give that address with --base-url`;
}

function isPassing(code: ProviderErrorCode): boolean {
  return code === "rate-limit" || code === "overloaded";
}

function limitIn(code: ProviderErrorCode, body: string): { limitTokens?: number } {
  const limitTokens = code === "context-overflow" ? statedLimit(body) : undefined;
  return limitTokens === undefined ? {} : { limitTokens };
}

/** An error object inside a stream that began with HTTP 200. */
export function errorInStream(error: unknown): ProviderError {
  const body = JSON.stringify({ error });
  const given = (error ?? {}) as { code?: unknown; status?: unknown };
  const status = [given.code, given.status].map(Number).find((value) => value >= 400 && value < 600);
  const code = status ? codeOf(status, body) : codeOfWording(body);
  const retryAfterMs = isPassing(code) ? retryAfter({}, body) : undefined;
  return new ProviderError(code, describeBody(body) || "the server reported an error in the stream", {
    ...(status ? { status } : {}),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...limitIn(code, body),
  });
}

function codeOf(status: number, body: string): ProviderErrorCode {
  if (status === 401 || status === 403) return "auth";
  if (status === 402) return "quota";
  if (status === 404) return "not-found";
  if (status === 429) return quotaWording.test(body) && !passingQuota.test(body) ? "quota" : "rate-limit";
  if (isContextOverflow(status, body)) return "context-overflow";
  if (status === 408 || status === 409 || status >= 500) return "overloaded";
  if (keyWording.test(body)) return "auth";
  if (/credit balance is too low/i.test(body)) return "quota";
  return filterWording.test(body) ? "content-filter" : "bad-request";
}

function codeOfWording(body: string): ProviderErrorCode {
  if (isContextOverflow(undefined, body)) return "context-overflow";
  if (/rate.?limit/i.test(body)) return "rate-limit";
  if (quotaWording.test(body)) return "quota";
  if (/authentication|unauthori[sz]ed|permission_error|api.?key/i.test(body)) return "auth";
  if (filterWording.test(body)) return "content-filter";
  return /invalid_(?:request|prompt|image|argument)|unsupported_/i.test(body) ? "bad-request" : "overloaded";
}

/** The sentence inside the many shapes of error bodies; a page is named, not quoted. */
export function describeBody(body: string): string {
  const trimmed = body.trim();
  if (trimmed === "") return "";
  if (/^<(!doctype|html|head|body)/i.test(trimmed)) {
    const title = /<title>([^<]*)<\/title>/i.exec(trimmed)?.[1]?.trim();
    return `the server answered with an HTML page${title ? ` ("${title.slice(0, 80)}")` : ""}`;
  }
  try {
    return (sentenceIn(JSON.parse(trimmed)) ?? trimmed).slice(0, 500);
  } catch {
    return trimmed.slice(0, 300);
  }
}

function sentenceIn(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return sentenceIn(value[0]);
  if (value === null || typeof value !== "object") return undefined;
  const { error, message, detail, msg, loc, param } = value as Record<string, unknown>;
  const said = sentenceIn(error) ?? sentenceIn(message) ?? sentenceIn(detail) ?? sentenceIn(msg);
  const about = Array.isArray(loc) ? loc.join(".") : param;
  return said !== undefined && typeof about === "string" && !said.includes(about) ? `${about}: ${said}` : said;
}

/** Retry-After in seconds or as a date, retry-after-ms, Google's retryDelay, and "try again in 1.2s". */
function retryAfter(headers: IncomingHttpHeaders, body: string): number | undefined {
  const ms = Number(headers["retry-after-ms"]);
  if (Number.isFinite(ms) && ms > 0) return Math.min(ms, longestWaitMs);
  const header = headers["retry-after"];
  if (header !== undefined) {
    const seconds = Number(header);
    const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - Date.now();
    if (Number.isFinite(wait)) return Math.min(Math.max(wait, 0), longestWaitMs);
  }
  const told =
    /"retryDelay":\s*"(?<seconds>[\d.]+)s"|try again in (?:(?<h>\d+)h)?(?:(?<m>\d+)m(?!s))?(?:(?<amount>[\d.]+)\s*(?<unit>ms|s)\b)?/i.exec(
      body,
    )?.groups;
  const { seconds, h, m, amount, unit } = told ?? {};
  if ((seconds ?? h ?? m ?? amount) === undefined) return undefined;
  const rest = Number(seconds ?? amount ?? 0) * (unit?.toLowerCase() === "ms" ? 1 : 1_000);
  return Math.min(Number(h ?? 0) * 3_600_000 + Number(m ?? 0) * 60_000 + rest, longestWaitMs);
}

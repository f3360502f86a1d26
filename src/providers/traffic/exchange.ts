import { join } from "node:path";
import type { ProviderErrorCode } from "../../contracts/errors.ts";
import { namesIn } from "../../platform/list-folder.ts";
import { readUnlessMissing, replacePrivateFile } from "../../platform/private-files.ts";

/** One request and what came back, as it went over the network. A recording is a folder of these, one file each, in the order in which they began. */
export type Exchange = {
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  };
  readonly response?: RecordedResponse;
  /** When there was no response at all. */
  readonly error?: { readonly code: ProviderErrorCode; readonly message: string };
};

export type RecordedResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Without compression. Text, or base64 where it is none. */
  readonly body: string;
  readonly encoding?: "base64";
  /** Where each piece of the body ended, in bytes, and when it came, in milliseconds since the request. */
  readonly cuts: readonly (readonly [bytes: number, ms: number])[];
  /** "cut": the connection broke, or nobody listened any more. */
  readonly end: "whole" | "cut";
};

/** What the run was that is recorded: it is played back with the same, unless something else is asked for. */
export type RecordedRun = {
  readonly program: string;
  readonly provider: string;
  readonly model: string;
  readonly baseUrl: string;
  /** Folders that are elsewhere when it is played back on another machine. */
  readonly folders: RunFolders;
};

export type RunFolders = { readonly project: string; readonly home: string; readonly state: string };

const runFile = "run.json";
const exchangeFile = /^\d+\.json$/;

export function nameOf(number: number): string {
  return `${String(number).padStart(4, "0")}.json`;
}

/** Names of the recorded exchanges, in order. */
export function exchangesIn(folder: string): string[] {
  return namesIn(folder)
    .filter((name) => exchangeFile.test(name))
    .toSorted((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
}

export function writeExchange(folder: string, number: number, exchange: Exchange): void {
  // a cut a line
  const text = JSON.stringify(exchange, null, 2).replace(/\[\s+(\d+),\s+(\d+)\s+\]/g, "[$1, $2]");
  replacePrivateFile(join(folder, nameOf(number)), `${text}\n`);
}

/** Throws when it is no recorded exchange. */
export function readExchange(folder: string, name: string): Exchange {
  const exchange = JSON.parse(readUnlessMissing(join(folder, name)) ?? "null") as Partial<Exchange> | null;
  const { request, response, error } = exchange ?? {};
  const isAnswered = typeof response?.body === "string" && Array.isArray(response.cuts);
  const isWhole = typeof request?.body === "string" && (isAnswered || error !== undefined);
  if (!isWhole) throw new Error(`${name} is no recorded exchange`);
  return exchange as Exchange;
}

export function writeRun(folder: string, run: RecordedRun): void {
  replacePrivateFile(join(folder, runFile), `${JSON.stringify(run, null, 2)}\n`);
}

/** Throws when it describes no run. */
export function readRun(folder: string): RecordedRun | undefined {
  const text = readUnlessMissing(join(folder, runFile));
  if (text === undefined) return undefined;
  const run = JSON.parse(text) as RecordedRun | null;
  const { project, home, state } = run?.folders ?? {};
  const texts: readonly unknown[] = [run?.provider, run?.model, run?.baseUrl, project, home, state];
  if (!texts.every((value) => typeof value === "string")) throw new Error("it describes no recorded run");
  return run as RecordedRun;
}

/** The body in the pieces in which it came. */
export function piecesOf({ body, encoding, cuts }: RecordedResponse): Buffer[] {
  const bytes = Buffer.from(body, encoding ?? "utf8");
  return cuts.map(([end], i) => bytes.subarray(cuts[i - 1]?.[0] ?? 0, end));
}

import { messageOf, ProviderError } from "../contracts/errors.ts";
import type { Provider } from "../contracts/provider.ts";
import type { Check, Finding } from "./doctor.ts";

export type DoctorInput = {
  readonly keyOrigin: string | undefined;
  readonly needsKey: boolean;
  readonly vendor: string;
  readonly model: string;
  readonly provider: Provider;
  readonly ripgrep: string | undefined;
  readonly bash: string | undefined;
  readonly stateFolder: string;
  /** Throws when the state folder cannot be written. */
  readonly probeStateFolder: () => void;
  readonly terminal: { readonly isTty: boolean; readonly columns: number | undefined; readonly color: boolean };
  readonly nodeVersion: string;
};

const answerWithinMs = 15_000;

export function checksFor(input: DoctorInput): readonly Check[] {
  return [
    { name: "node", run: () => ({ state: "ok", text: input.nodeVersion }) },
    { name: "key", run: () => keyFinding(input) },
    { name: "endpoint", run: () => endpointFinding(input) },
    { name: "ripgrep", run: () => found(input.ripgrep, "not found: grep and glob use a slower fallback; reinstall without --omit=optional") },
    { name: "bash", run: () => found(input.bash, "not found on PATH: the bash tool uses /bin/sh") },
    { name: "sandbox", run: () => ({ state: "warning", text: "none in this version: commands that are not plainly harmless are asked for, or denied without a terminal" }) },
    { name: "state folder", run: () => stateFinding(input) },
    { name: "terminal", run: () => terminalFinding(input.terminal) },
  ];
}

function keyFinding({ keyOrigin, needsKey, vendor }: DoctorInput): Finding {
  if (keyOrigin !== undefined) return { state: "ok", text: `from ${keyOrigin}` };
  if (!needsKey) return { state: "ok", text: `none needed for ${vendor}` };
  return { state: "problem", text: "none: set CORECODER_API_KEY or OPENAI_API_KEY, or try `corecoder demo`" };
}

/** The smallest request there is, so that address, key and model are all tried. */
async function endpointFinding({ provider, model, keyOrigin, needsKey }: DoctorInput): Promise<Finding> {
  if (needsKey && keyOrigin === undefined) return { state: "warning", text: `${provider.endpoint}: not tried without a key` };
  const request = { model, system: "Answer with one word.", tools: [], messages: [{ id: "m1", role: "user" as const, parts: [{ type: "text" as const, text: "ok?" }] }] };
  try {
    await provider.stream(request, { signal: AbortSignal.timeout(answerWithinMs), onEvent: () => {} });
    return { state: "ok", text: `${provider.endpoint} answers as ${model}` };
  } catch (error) {
    const timedOut = error instanceof ProviderError && error.code === "aborted";
    return { state: "problem", text: timedOut ? `${provider.endpoint} gave no answer within ${answerWithinMs / 1000} s` : `${provider.endpoint}: ${messageOf(error)}` };
  }
}

function found(path: string | undefined, missing: string): Finding {
  return path === undefined ? { state: "warning", text: missing } : { state: "ok", text: path };
}

function stateFinding({ stateFolder, probeStateFolder }: DoctorInput): Finding {
  try {
    probeStateFolder();
    return { state: "ok", text: stateFolder };
  } catch (error) {
    return { state: "problem", text: `${stateFolder} cannot be written (${messageOf(error)}): sessions are not saved; set CORECODER_HOME to a folder of yours` };
  }
}

function terminalFinding({ isTty, columns, color }: DoctorInput["terminal"]): Finding {
  if (!isTty) return { state: "warning", text: "no terminal here: only one-shot mode (-p) works" };
  return { state: "ok", text: `${columns ?? "?"} columns, ${color ? "with" : "without"} colour` };
}

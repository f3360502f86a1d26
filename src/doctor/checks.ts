import { messageOf, ProviderError } from "../contracts/errors.ts";
import type { Provider } from "../contracts/provider.ts";
import type { SandboxFinding } from "../platform/sandbox/sandbox.ts";
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
  /** Left out: looked for. */
  readonly sandbox?: () => Promise<SandboxFinding>;
  /** Left out: the one it runs on. */
  readonly platform?: string;
};

const answerWithinMs = 15_000;
/** A refused parameter is left out of the next attempt. */
const mostAttempts = 4;

export function checksFor(input: DoctorInput): readonly Check[] {
  const canAsk = input.keyOrigin !== undefined || !input.needsKey;
  let asked: Promise<Reply> | undefined;
  const reply = () => (asked ??= askModel(input));
  const notTried = (what: string): Finding => ({ state: "warning", text: `${what}: not tried without a key` });
  return [
    { name: "node", run: () => ({ state: "ok", text: input.nodeVersion }) },
    { name: "key", run: () => keyFinding(input) },
    {
      name: "endpoint",
      run: async () => (canAsk ? endpointFinding(await reply(), input) : notTried(input.provider.endpoint)),
    },
    { name: "model", run: async () => (canAsk ? modelFinding(await reply(), input) : notTried(input.model)) },
    {
      name: "ripgrep",
      run: () =>
        found(input.ripgrep, "not found: grep and glob use a slower fallback; reinstall without --omit=optional"),
    },
    { name: "bash", run: () => found(input.bash, "not found on PATH: the bash tool uses /bin/sh") },
    { name: "sandbox", run: () => sandboxFinding(input) },
    { name: "processes", run: () => processFinding(input.platform ?? process.platform) },
    { name: "state folder", run: () => stateFinding(input) },
    { name: "terminal", run: () => terminalFinding(input.terminal) },
  ];
}

function keyFinding({ keyOrigin, needsKey, vendor }: DoctorInput): Finding {
  if (keyOrigin !== undefined) return { state: "ok", text: `from ${keyOrigin}` };
  if (!needsKey) return { state: "ok", text: `none needed for ${vendor}` };
  return { state: "problem", text: "none: set CORECODER_API_KEY or OPENAI_API_KEY, or try `corecoder demo`" };
}

type Reply = { readonly error: unknown } | undefined;

/** The smallest request there is, so that address, key and model are all tried. */
async function askModel({ provider, model }: DoctorInput): Promise<Reply> {
  const request = {
    model,
    system: "Answer with one word.",
    tools: [],
    messages: [{ id: "m1", role: "user" as const, parts: [{ type: "text" as const, text: "ok?" }] }],
  };
  for (let attempt = 1; ; attempt++) {
    try {
      await provider.stream(request, { signal: AbortSignal.timeout(answerWithinMs), onEvent: () => {} });
      return undefined;
    } catch (error) {
      const again = error instanceof ProviderError && error.code === "parameter-refused" && attempt < mostAttempts;
      if (!again) return { error };
    }
  }
}

function endpointFinding(reply: Reply, { provider }: DoctorInput): Finding {
  const { endpoint } = provider;
  if (reply === undefined) return { state: "ok", text: `${endpoint} answers` };
  const code = reply.error instanceof ProviderError ? reply.error.code : undefined;
  if (code === "aborted")
    return { state: "problem", text: `${endpoint} gave no answer within ${answerWithinMs / 1000} s` };
  if (code === "not-found" || code === "bad-request")
    return { state: "warning", text: `${endpoint} answers, but not to this request` };
  return { state: "problem", text: `${endpoint}: ${messageOf(reply.error)}` };
}

function modelFinding(reply: Reply, { model, vendor }: DoctorInput): Finding {
  if (reply === undefined) return { state: "ok", text: `${model} (${vendor})` };
  const code = reply.error instanceof ProviderError ? reply.error.code : undefined;
  const isModel = code === "not-found" || code === "bad-request";
  return isModel
    ? { state: "problem", text: `${model}: ${messageOf(reply.error)}; check --model and --base-url` }
    : { state: "warning", text: `${model}: not tried, see endpoint` };
}

async function sandboxFinding({ sandbox }: DoctorInput): Promise<Finding> {
  const find = sandbox ?? (await import("../platform/sandbox/sandbox.ts")).findSandbox;
  const result = await find();
  if (result.works) return { state: "ok", text: `${result.sandbox.name}: commands run in it in permission mode auto` };
  const instead = "commands that are not plainly harmless are asked for, or denied without a terminal";
  return { state: "warning", text: `none: ${result.because}. Until then ${instead}` };
}

/** What of a command's processes may outlive the program on this machine. */
function processFinding(platform: string): Finding {
  if (platform === "linux")
    return {
      state: "ok",
      text: "what commands start ends with the program, also after kill -9; outside the sandbox, all but daemons with an emptied environment",
    };
  return {
    state: "warning",
    text: `what commands start ends with the program, but on ${platform} a process that left its group (setsid, daemons) is not found`,
  };
}

function found(path: string | undefined, missing: string): Finding {
  return path === undefined ? { state: "warning", text: missing } : { state: "ok", text: path };
}

function stateFinding({ stateFolder, probeStateFolder }: DoctorInput): Finding {
  try {
    probeStateFolder();
    return { state: "ok", text: stateFolder };
  } catch (error) {
    return {
      state: "problem",
      text: `${stateFolder} cannot be written (${messageOf(error)}): sessions are not saved; set CORECODER_HOME to a folder of yours`,
    };
  }
}

function terminalFinding({ isTty, columns, color }: DoctorInput["terminal"]): Finding {
  if (!isTty) return { state: "warning", text: "no terminal here: only one-shot mode (-p) works" };
  return { state: "ok", text: `${columns ?? "?"} columns, ${color ? "with" : "without"} colour` };
}

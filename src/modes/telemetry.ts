import type { Agent } from "../agent/agent.ts";
import type { Settings } from "../config/settings-table.ts";
import { exitCode, messageOf, UserError } from "../contracts/errors.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";

export type TelemetryWish = {
  readonly settings: Settings;
  readonly sessionId: string;
  readonly model: () => string;
  readonly vendor: () => string;
  readonly version: string;
  readonly onNotice: (text: string) => void;
};

/** Longest that one body may take; the program's end waits for it. */
const sendMs = 3_000;

/** An agent whose prompts are told to the person's collector. Without one configured it is the agent itself, and nothing is loaded. */
export function withTelemetry(
  agent: Agent,
  wish: TelemetryWish,
): { readonly agent: Agent; readonly flush: () => Promise<void> } {
  const endpoint = wish.settings.otlpEndpoint;
  if (endpoint === undefined || wish.settings.otlpDisabled) return { agent, flush: async () => {} };
  if (!/^https?:\/\//.test(endpoint))
    throw new UserError(
      exitCode.config,
      `The address of the OpenTelemetry collector is no http(s) address: ${endpoint}. Correct otlpEndpoint or OTEL_EXPORTER_OTLP_ENDPOINT, or leave it out.`,
    );
  let opened: Promise<Telemetry> | undefined;
  const open = () => (opened ??= openTelemetry(endpoint, wish));
  return {
    agent: {
      ...agent,
      // these are getters, and a spread takes their value of now
      get history() {
        return agent.history;
      },
      get lastText() {
        return agent.lastText;
      },
      get usage() {
        return agent.usage;
      },
      async *send(prompt, signal) {
        yield* (await open()).watch(agent.send(prompt, signal));
      },
    },
    flush: async () => (await opened)?.flush(),
  };
}

async function openTelemetry(endpoint: string, wish: TelemetryWish): Promise<Telemetry> {
  const { settings, sessionId, model, vendor, version, onNotice } = wish;
  const [{ createTelemetry }, { post }] = await Promise.all([
    import("../telemetry/telemetry.ts"),
    import("../providers/http-stream.ts"),
  ]);
  return createTelemetry({
    sessionId,
    model,
    vendor,
    now: Date.now,
    serviceName: settings.otlpServiceName ?? "corecoder",
    version,
    async send(path, body) {
      const url = new URL(endpoint.replace(/\/+$/, "") + path);
      const headers = { "content-type": "application/json", ...headersOf(settings.otlpHeaders) };
      const signal = AbortSignal.timeout(sendMs);
      const { head, body: answer } = await post({ url, headers, body: [Buffer.from(body)], signal }).catch((error) => {
        throw signal.aborted ? new Error(`it did not answer within ${sendMs / 1000} s`) : error;
      });
      answer.resume();
      const status = head.statusCode ?? 0;
      if (status >= 300) throw new Error(`it answered with status ${status}`);
    },
    onTrouble: (problem) => onNotice(`Telemetry was not taken by ${endpoint}: ${messageOf(problem)}.`),
  });
}

/** `name=value,name=value`, as OTEL_EXPORTER_OTLP_HEADERS has them. */
function headersOf(text = ""): Record<string, string> {
  const pairs = text.split(",").map((pair) => pair.split(/=(.*)/s));
  return Object.fromEntries(
    pairs.flatMap(([name, value]) => (name && value ? [[name.trim(), decodeURIComponent(value.trim())]] : [])),
  );
}

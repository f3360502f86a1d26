import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect } from "vitest";
import { call, text } from "../../src/testing/index.ts";
import { it } from "../support/world.ts";

/** A collector: remembers what it is sent. */
async function startCollector() {
  const received: { path: string | undefined; token: string | undefined; body: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    received.push({ path: request.url, token: request.headers["x-token"] as string | undefined, body });
    response.end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    received,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => server.closeAllConnections() ?? server.close(),
  };
}

describe("a configured collector", () => {
  it("is told of a run's spans and metrics before the program ends", async ({ world }) => {
    const collector = await startCollector();
    const model = await world.model([call("bash", { command: "ls" }), text("Done.")]);
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`, OTEL_EXPORTER_OTLP_HEADERS: "x-token=abc" };
    const result = await world.run(["-p", "go", "-m", "gpt-4o"], { model, env });
    collector.close();
    expect(result).toMatchObject({ code: 0, stdout: "Done.\n" });
    expect(collector.received.map(({ path }) => path).toSorted()).toEqual(["/v1/metrics", "/v1/traces"]);
    expect(collector.received.every(({ token }) => token === "abc")).toBe(true);
    const traces = collector.received.find(({ path }) => path === "/v1/traces")?.body ?? "";
    expect(traces).toMatch(/invoke_agent corecoder[\s\S]*chat gpt-4o[\s\S]*execute_tool bash/);
  });

  it("that is not there costs one line, and nothing where telemetry is disabled", async ({ world }) => {
    const model = await world.model([text("Done."), text("Done.")]);
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" };
    const quiet = await world.run(["-p", "go"], { model, env: { ...env, OTEL_SDK_DISABLED: "true" } });
    expect(quiet).toMatchObject({ code: 0, stderr: "" });
    const result = await world.run(["-p", "go"], { model, env });
    expect(result).toMatchObject({ code: 0, stdout: "Done.\n" });
    expect(result.stderr.match(/Telemetry was not taken/g)).toHaveLength(1);
  });
});

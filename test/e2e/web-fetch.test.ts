import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect } from "vitest";
import { call, text } from "../../src/testing/index.ts";
import { resultOf } from "../support/stream-events.ts";
import { it } from "../support/world.ts";

async function startSite() {
  let visits = 0;
  const server = createServer((_, response) => {
    visits++;
    response.setHeader("content-type", "text/html").end("<h1>Answer</h1><p>It is 42.</p>");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://127.0.0.1:${port}/`, visits: () => visits, close: () => server.close() };
}

const toolNames = (body: string) =>
  (JSON.parse(body).tools as { function: { name: string } }[]).map((tool) => tool.function.name);

describe("web_fetch", () => {
  it("is not offered without a network permission, and costs nothing", async ({ world }) => {
    const model = await world.model([text("ok")]);
    await world.run(["-p", "go"], { model });
    expect(toolNames(model.requests[0]!.rawBody)).not.toContain("web_fetch");
  });

  it("reads a page of a host that a rule names", async ({ world }) => {
    const site = await startSite();
    const model = await world.model([call("web_fetch", { url: site.url }), text("42")]);
    const rule = `network(127.0.0.1:${site.port})`;
    const result = await world.run(["-p", "go", "--allowed-tools", rule], { model });
    site.close();
    expect(result).toMatchObject({ code: 0, stdout: "42\n" });
    expect(JSON.stringify(model.requests[1]!.conversation.at(-1))).toContain("# Answer\\n\\nIt is 42.");
  });

  it("does not talk to a host that nobody allowed, says so, and does not in any mode to one that is forbidden", async ({
    world,
  }) => {
    const site = await startSite();
    const script = [call("web_fetch", { url: site.url }), text("Then not.")];
    const asked = await world.model(script);
    const args = ["-p", "go", "--web-fetch", "on", "--output-format", "stream-json"];
    const { events } = await world.run(args, { model: asked });
    expect(resultOf(events).permission_denials).toMatchObject([{ tool_name: "web_fetch" }]);
    expect(JSON.stringify(asked.requests[1]!.conversation.at(-1))).toContain(`network(127.0.0.1:${site.port})`);
    const refused = await world.model(script);
    const mode = ["--permission-mode", "bypassPermissions", "--disallowed-tools", "network(*)"];
    await world.run([...args, ...mode], { model: refused });
    expect(JSON.stringify(refused.requests[1]!.conversation.at(-1))).toContain("forbids it");
    expect(site.visits()).toBe(0);
    site.close();
  });
});

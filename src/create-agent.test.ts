import { expect, it } from "vitest";
import { makeTempFolder } from "../test/support/temp.ts";
import type { AgentEvent } from "./contracts/event.ts";
import { createAgent } from "./create-agent.ts";
import { call, calls, startScriptedModel } from "./testing/index.ts";

const usage = { inputTokens: 2_000, outputTokens: 1_000 };
const hasAgentTool = (body: string) => body.includes('"name":"agent"');

async function outcomeOf(events: AsyncIterable<AgentEvent>) {
  for await (const event of events) if (event.type === "turn.finished") return event;
  throw new Error("it never finished");
}

it("an agent of the library has sub-agents, which spend its money: the limit is overrun by one call at most", async () => {
  const model = await startScriptedModel(({ rawBody }, index) =>
    hasAgentTool(rawBody) && index === 0
      ? calls(
          [1, 2, 3].map((number) => call("agent", { task: `part ${number}` })),
          { usage },
        )
      : calls([call("bash", { command: `echo ${index}` })], { usage }),
  );
  const agent = createAgent({
    ...{ model: "gpt-4o", baseUrl: model.url, apiKey: "k", cwd: makeTempFolder() },
    ...{ permissionMode: "bypassPermissions", maxBudgetUsd: 0.05 },
  });
  const { outcome, totals } = await outcomeOf(agent.send("go"));
  await model.close();
  const callUsd = 0.015;
  expect(outcome.type).toBe("budget");
  expect(totals.costUsd).toBeGreaterThanOrEqual(0.05);
  expect(totals.costUsd).toBeLessThanOrEqual(0.05 + callUsd);
  expect(model.requests.filter(({ rawBody }) => !hasAgentTool(rawBody)).length).toBeGreaterThan(0);
});

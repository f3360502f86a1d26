// A tool of your own, tried offline: the model's part is a script, the loop and the wire are real.
import {
  createAgent,
  createOpenAiChat,
  createPolicy,
  createProvider,
  createWorkspace,
  defineTool,
  schema,
} from "corecoder";
import { call, startScriptedModel, text } from "corecoder/testing";

const weather = defineTool({
  name: "weather",
  description: "The weather in a city.",
  input: schema.object({ city: schema.string() }),
  effect: "read",
  describe: ({ city }) => ({ label: "weather", title: city }),
  run: async ({ city }) => ({ text: `${city}: 21 degrees, dry` }),
});

const model = await startScriptedModel([call("weather", { city: "Bern" }), text("It is dry: no umbrella.")]);
const provider = createProvider({
  protocol: createOpenAiChat(),
  baseUrl: model.url,
  apiKey: "any",
  replayThinking: false,
  idleTimeoutMs: 120_000,
  memory: { recall: () => ({}), learn: () => {} },
});
const cwd = process.cwd();
let results = 0;
const agent = createAgent({
  provider: () => provider,
  model: () => "scripted",
  system: "Answer in one sentence.",
  tools: [weather],
  permissions: createPolicy({ mode: "default", allow: [], ask: [], deny: [], home: cwd }),
  workspace: createWorkspace(cwd),
  maxRounds: 10,
  retryBaseMs: 500,
  handles: { next: () => `#${++results}` },
});

for await (const event of agent.send("Do I need an umbrella in Bern?")) {
  if (event.type === "tool.finished") process.stdout.write(`[${event.tool}] ${event.text}\n`);
  if (event.type === "turn.finished") process.stdout.write(`${agent.lastText}\n`);
}
await model.close();

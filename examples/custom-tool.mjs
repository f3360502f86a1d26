// A tool of your own, tried offline: the model's part is a script, the loop and the wire are real.
import { createAgent, defineTool, schema } from "corecoder";
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
const agent = createAgent({ model: "any", baseUrl: model.url, apiKey: "any", tools: [weather] });
for await (const event of agent.send("Do I need an umbrella in Bern?"))
  if (event.type === "tool.finished") console.log(`[${event.tool}] ${event.text}`);
console.log(agent.lastText);
await model.close();

// A reviewer without a terminal: reads the changes of a repository and says what is wrong with them. Nothing can be changed: mode "plan" only reads.
//   OPENAI_API_KEY=… node examples/reviewer.mjs [FOLDER]
import { createAgent } from "corecoder";

const { MODEL = "gpt-5.5", BASE_URL, API_KEY } = process.env;
const agent = createAgent({
  model: MODEL,
  ...(BASE_URL ? { baseUrl: BASE_URL } : {}),
  ...(API_KEY ? { apiKey: API_KEY } : {}),
  cwd: process.argv[2] ?? process.cwd(),
  permissionMode: "plan",
  maxRounds: 40,
});
const prompt =
  "Review what `git diff HEAD` shows. Name only what is wrong, as a list of `file:line: problem`; say 'fine' when nothing is.";
for await (const event of agent.send(prompt)) {
  if (event.type === "tool.started") console.error(`· ${event.view.label} ${event.view.title}`);
  if (event.type === "turn.finished" && event.outcome.type !== "done") {
    console.error(`The review ended early: ${event.outcome.type}`);
    process.exitCode = 1;
  }
}
console.log(agent.lastText);

// The smallest loop that deserves the name agent: node:http, four tools, no checks. What everything else is measured against.
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";

const base = process.env.OPENAI_BASE_URL;
const agent = new Agent({ keepAlive: true });
const parameters = (...names) => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
  required: names,
});
const tool = (name, ...names) => ({
  type: "function",
  function: { name, description: name, parameters: parameters(...names) },
});
const tools = [
  tool("bash", "command"),
  tool("read_file", "file_path"),
  tool("write_file", "file_path", "content"),
  tool("edit_file", "file_path", "old_string", "new_string"),
];

const run = {
  bash: ({ command }) =>
    new Promise((resolve) => {
      let text = "";
      const child = spawn("bash", ["-c", command], { stdio: ["ignore", "pipe", "pipe"] });
      child.stdout.on("data", (data) => (text += data));
      child.stderr.on("data", (data) => (text += data));
      child.on("close", () => resolve(text));
    }),
  read_file: ({ file_path }) => readFileSync(file_path, "utf8"),
  write_file: ({ file_path, content }) => void writeFileSync(file_path, content) ?? "written",
  edit_file: ({ file_path, old_string, new_string }) =>
    run.write_file({ file_path, content: readFileSync(file_path, "utf8").split(old_string).join(new_string) }),
};

function ask(messages) {
  return new Promise((resolve, reject) => {
    const body = JSON.stringify({ model: "m", stream: true, tools, messages });
    const post = request(`${base}/chat/completions`, {
      method: "POST",
      agent,
      headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body) },
    });
    post.on("error", reject);
    post.on("response", (response) => {
      const message = { role: "assistant", content: "" };
      const calls = [];
      let rest = "";
      response.setEncoding("utf8");
      response.on("data", (text) => {
        const events = (rest + text).split("\n\n");
        rest = events.pop();
        for (const event of events) {
          if (event === "data: [DONE]") continue;
          const delta = JSON.parse(event.slice(6)).choices[0]?.delta;
          if (delta?.content) process.stdout.write(delta.content);
          message.content += delta?.content ?? "";
          for (const { index, id, function: f } of delta?.tool_calls ?? []) {
            calls[index] ??= { id, type: "function", function: { name: f.name, arguments: "" } };
            calls[index].function.arguments += f.arguments ?? "";
          }
        }
      });
      response.on("end", () => resolve(calls.length ? { ...message, tool_calls: calls } : message));
    });
    post.end(body);
  });
}

const messages = [{ role: "user", content: process.argv[2] }];
for (;;) {
  const message = await ask(messages);
  messages.push(message);
  if (!message.tool_calls) break;
  for (const { id, function: f } of message.tool_calls)
    messages.push({ role: "tool", tool_call_id: id, content: await run[f.name](JSON.parse(f.arguments)) });
}

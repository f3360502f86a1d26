// A model for benchmarks: answers at once from a function and notes when requests arrive and answers end.
import { createServer } from "node:http";

const chunk = (delta, finish = null) =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

export const toolCall = (name, args, id) => [
  chunk({
    role: "assistant",
    tool_calls: [{ index: 0, id, type: "function", function: { name, arguments: JSON.stringify(args) } }],
  }) +
    chunk({}, "tool_calls") +
    "data: [DONE]\n\n",
];

export const toolCalls = (calls) => [
  chunk({
    role: "assistant",
    tool_calls: calls.map(([name, args], index) => ({
      index,
      id: `p${index}`,
      type: "function",
      function: { name, arguments: JSON.stringify(args) },
    })),
  }) +
    chunk({}, "tool_calls") +
    "data: [DONE]\n\n",
];

export const words = (text) => [`${chunk({ role: "assistant", content: text })}${ending}`];

export const token = (text) => chunk({ content: text });
export const ending = `${chunk({}, "stop")}data: [DONE]\n\n`;

/** `reply(n, body)` gives the pieces of the n-th answer, or writes it itself when given the response. */
export async function startModel(reply) {
  const arrivals = [];
  const endings = [];
  const bodies = [];
  const server = createServer((request, response) => {
    const index = arrivals.push(performance.now()) - 1;
    const pieces = [];
    request.on("data", (piece) => pieces.push(piece));
    request.on("end", async () => {
      if (index === 0) bodies.push(Buffer.concat(pieces).toString());
      response.writeHead(200, { "content-type": "text/event-stream" });
      const answer = await reply(index, response);
      if (answer === undefined) return;
      for (const piece of answer) response.write(piece);
      endings[index] = performance.now();
      response.end();
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    arrivals,
    endings,
    bodies,
    /** Milliseconds from the end of each answer to the arrival of the next request. */
    gaps: () => arrivals.slice(1).map((arrival, index) => arrival - endings[index]),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

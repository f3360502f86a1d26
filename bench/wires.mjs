// How long the decoding of a long answer takes on each wire, as a multiple of parsing the JSON of its events: from the events on, as the parsing
// does, and from the text of the response on, with the splitting into events.

import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { createParser } from "eventsource-parser";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const tokens = 100_000;
const rounds = 25;
/** What one read from a socket brings at most. */
const packet = 65_536;

/** The wires are no part of the library's surface: bundled in memory, then loaded. */
async function loadWires() {
  const { outputFiles } = await build({
    absWorkingDir: root,
    stdin: {
      contents: `export { createOpenAiChat } from "./src/providers/protocols/openai-chat.ts";
        export { createOpenAiResponses } from "./src/providers/protocols/openai-responses.ts";
        export { createAnthropicMessages } from "./src/providers/protocols/anthropic-messages.ts";
        export { createGeminiGenerateContent } from "./src/providers/protocols/gemini-generate-content.ts";
        export { eventsOf, text } from "./src/testing/index.ts";`,
      resolveDir: root,
    },
    bundle: true,
    platform: "node",
    format: "esm",
    write: false,
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString("base64")}`);
}

/** Processor time, so that other work on the machine does not count. */
function timed(work) {
  const before = process.cpuUsage();
  work();
  return process.cpuUsage(before).user / 1000;
}

/** The least of several turns each, taken one after the other. */
function race(...works) {
  const least = works.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < rounds; round++)
    for (const [at, work] of works.entries()) least[at] = Math.min(least[at], timed(work));
  return least;
}

/** What the program does with the text of a response: events, decoder, one flush a packet. */
function decode(stream, decoder) {
  const parser = createParser({ onEvent: ({ data, event }) => decoder.push(data, event) });
  for (let at = 0; at < stream.length; at += packet) {
    parser.feed(stream.slice(at, at + packet));
    decoder.flush();
  }
  return decoder.answer();
}

/** By wire: milliseconds for a hundred thousand tokens, and the multiples. */
export async function wireSpeed() {
  const wires = await loadWires();
  const { eventsOf, text } = wires;
  const protocols = {
    "openai-chat": wires.createOpenAiChat,
    "openai-responses": wires.createOpenAiResponses,
    "anthropic-messages": wires.createAnthropicMessages,
    "gemini-generate-content": wires.createGeminiGenerateContent,
  };
  const answer = text("", { deltas: Array.from({ length: tokens }, (_, n) => `word${n} `) });
  return Object.fromEntries(
    Object.entries(protocols).map(([name, create]) => {
      const stream = eventsOf(name, answer).join("");
      const events = [];
      createParser({ onEvent: ({ data }) => data.startsWith("{") && events.push(data) }).feed(stream);
      const [parseMs, decodeMs, decoderMs] = race(
        () => {
          for (const data of events) JSON.parse(data);
        },
        () =>
          decode(
            stream,
            create().createDecoder(() => {}),
          ),
        () => {
          const decoder = create().createDecoder(() => {});
          for (const data of events) decoder.push(data, undefined);
          decoder.flush();
        },
      );
      const ratios = { ratio: decoderMs / parseMs, ratioWithSplitting: decodeMs / parseMs };
      return [name, { parseMs, decoderMs, decodeMs, ...ratios }];
    }),
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const ms = (value) => `${value.toFixed(0).padStart(4)} ms`;
  for (const [name, speed] of Object.entries(await wireSpeed())) {
    const decoded = `${ms(speed.decoderMs)}, ${speed.ratio.toFixed(2)} × JSON.parse (${ms(speed.parseMs)})`;
    const whole = `with splitting ${ms(speed.decodeMs)}, ${speed.ratioWithSplitting.toFixed(2)} ×`;
    console.log(`${name.padEnd(24)} ${decoded}; ${whole}`);
  }
}

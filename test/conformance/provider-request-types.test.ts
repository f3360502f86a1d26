import { execFile } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Message } from "../../src/contracts/message.ts";
import type { Effort, ModelRequest } from "../../src/contracts/provider.ts";
import { call, calls, type Reply, type ScriptedModel, startScriptedModel, text } from "../../src/testing/index.ts";
import { repoRoot } from "../support/repo-root.ts";
import { makeTempFolder, removeTempFolder } from "../support/temp.ts";
import {
  ask,
  callsOf,
  image,
  message,
  providerFor,
  requestWith,
  resultOf,
  said,
  type WireUnderTest,
  wires,
} from "./provider-wires.ts";

/** The types of the official SDKs that a body of ours has to fit. Enumerations of Google's are texts on the wire. */
const declarations = {
  "openai-chat": {
    head: 'import type OpenAI from "openai";',
    type: "OpenAI.Chat.ChatCompletionCreateParamsStreaming",
  },
  "openai-responses": {
    head: 'import type OpenAI from "openai";',
    type: "OpenAI.Responses.ResponseCreateParamsStreaming",
  },
  "anthropic-messages": {
    head: 'import type Anthropic from "@anthropic-ai/sdk";',
    type: "Anthropic.MessageCreateParamsStreaming",
  },
  "gemini-generate-content": {
    head: `import type { Content, GenerationConfig, ThinkingConfig, Tool } from "@google/genai";
type Plain<T> = T extends string ? \`\${T}\` : T extends object ? { [K in keyof T]: Plain<T[K]> } : T;
type Lower<T> = Omit<T, "thinkingLevel"> & { thinkingLevel?: Lowercase<\`\${NonNullable<ThinkingConfig["thinkingLevel"]>}\`> };
type Body = {
  contents: Plain<Content>[]; systemInstruction?: Plain<Content>; tools?: Plain<Tool>[];
  generationConfig?: Omit<Plain<GenerationConfig>, "thinkingConfig"> & { thinkingConfig?: Lower<ThinkingConfig> };
};`,
    type: "Body",
  },
} as const;

/** Models whose thinking is asked for in different words. */
const models = {
  "openai-chat": ["gpt-4o", "gpt-5", "gpt-5.1", "gpt-5.5", "gpt-5.6-sol", "o3"],
  "openai-responses": ["gpt-4o", "gpt-5", "gpt-5.5", "gpt-5.6-sol", "o3"],
  "anthropic-messages": [
    "claude-sonnet-4-5",
    "claude-opus-4-8",
    "claude-opus-5",
    "claude-fable-5-1",
    "claude-opus-5-5",
  ],
  "gemini-generate-content": ["gemini-2.5-pro", "gemini-2.5-flash", "gemini-3-pro-preview", "gemini-3.8-flash"],
} as const;

const efforts: readonly (Effort | undefined)[] = [undefined, "off", "low", "medium", "high", "max"];

let reply: Reply;
let model: ScriptedModel;
beforeAll(async () => {
  model = await startScriptedModel(() => reply);
});
afterAll(() => model.close());

/** A conversation with everything in it, thoughts as the wire itself sealed them. */
async function history(wire: WireUnderTest): Promise<Message[]> {
  const first = [message("user", said("what is this?"), image)];
  reply = calls(
    [call("bash", { command: "ls" }, { id: "call_a" }), call("bash", { command: "cd" }, { id: "call_b" })],
    {
      text: "I look.",
      reasoning: "better look first",
    },
  );
  const { answer } = await ask(providerFor(wire, { url: model.url }), requestWith(wire, first));
  const [a, b] = callsOf(answer);
  return [
    ...first,
    message("assistant", ...answer!.parts),
    resultOf(a!, "a picture", { images: [image] } as object),
    resultOf(b!, "nothing", { isError: true } as object),
    message("user", said("go on")),
    message("assistant", { type: "tool-call", callId: "odd id!", tool: "bash", input: undefined, rawInput: "{" }),
    message("user", said("never mind")),
  ];
}

async function bodiesOf(wire: WireUnderTest): Promise<string[]> {
  const messages = await history(wire);
  reply = text("ok");
  const bodies: string[] = [];
  for (const name of models[wire.name])
    for (const effort of efforts) {
      const more: Partial<ModelRequest> = { model: name, sessionId: "s1", ...(effort === undefined ? {} : { effort }) };
      // Anthropic's SDK does not know a temperature any more, since its newer models do not
      const temperature = wire.name === "anthropic-messages" ? {} : { temperature: 0.5 };
      const limits = effort === undefined ? { ...temperature, maxTokens: 1000 } : {};
      const { error } = await ask(
        providerFor(wire, { url: model.url }),
        requestWith(wire, messages, { ...more, ...limits }),
      );
      expect(error).toBeUndefined();
      bodies.push(model.requests.at(-1)!.rawBody);
    }
  return bodies;
}

/** What the compiler says about one file for each wire. */
async function complaintsAbout(sourceOf: (wire: WireUnderTest) => string | Promise<string>): Promise<string> {
  const folder = makeTempFolder();
  symlinkSync(join(repoRoot, "node_modules"), join(folder, "node_modules"));
  for (const wire of wires)
    writeFileSync(join(folder, `${wire.name}.ts`), `${declarations[wire.name].head}\n${await sourceOf(wire)}\n`);
  const compilerOptions = {
    ...{ strict: true, noEmit: true, skipLibCheck: true, target: "es2023", lib: ["es2024", "dom"], module: "esnext" },
    ...{ moduleResolution: "bundler", types: ["node"] },
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  const tsc = join(repoRoot, "node_modules/.bin/tsc");
  const { stdout } = await promisify(execFile)(tsc, ["-p", folder]).catch((failed: { stdout: string }) => failed);
  removeTempFolder(folder);
  return stdout;
}

it("every request is of the type that the official SDK sends", async () => {
  const complaints = await complaintsAbout(async (wire) => {
    const bodies = await bodiesOf(wire);
    expect(bodies.length).toBeGreaterThan(20);
    return bodies
      .map((body, n) => `export const body${n} = ${body} satisfies ${declarations[wire.name].type};`)
      .join("\n");
  });
  expect(complaints).toBe("");
}, 60_000);

it("and a request that is not would be noticed", async () => {
  const complaints = await complaintsAbout(
    ({ name }) => `export const body = { nonsense: true } satisfies ${declarations[name].type};`,
  );
  for (const { name } of wires) expect(complaints).toContain(`${name}.ts(`);
}, 60_000);

// How long the context engine takes on a history of a million tokens.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createContextEngine, policies } from "../dist/lib/index.js";

const rounds = 1000;
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/** Milliseconds: a fit with nothing to do, the slowest batch of edits, one recall by query. */
export async function contextSpeed() {
  let now = 0;
  const { signal } = new AbortController();
  const engine = createContextEngine({
    policy: policies.ledger,
    windowTokens: 3_000_000,
    fixedTokens: 1_400,
    now: () => now,
    summarise: async () => ({ text: "## Goal\nnone", usage: undefined }),
  });
  engine.add({ id: "u", role: "user", parts: [{ type: "text", text: "go" }] });
  const quiet = [];
  const batches = [];
  for (let i = 0; i < rounds; i++) {
    now += 1000;
    const startedAt = performance.now();
    const { receipt } = await engine.fit({ signal });
    (receipt ? batches : quiet).push(performance.now() - startedAt);
    addRound(engine, i);
  }
  const startedAt = performance.now();
  engine.recall({ query: "needle_in_round_17" });
  return { fitMs: median(quiet), batchMs: median(batches), recallMs: performance.now() - startedAt };
}

/** Megabytes that an engine holds with a million tokens in it, and those of the texts it was given. */
export async function contextMemory(policy) {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  const held = () => {
    collect();
    return process.memoryUsage().heapUsed / 1e6;
  };
  const { signal } = new AbortController();
  const before = held();
  const engine = createContextEngine({
    policy: policies[policy],
    windowTokens: 3_000_000,
    fixedTokens: 1_400,
    now: () => 0,
    summarise: async () => ({ text: "## Goal\nnone", usage: undefined }),
  });
  engine.add({ id: "u", role: "user", parts: [{ type: "text", text: "go" }] });
  let characters = 0;
  for (let i = 0; i < rounds; i++) {
    await engine.fit({ signal });
    characters += addRound(engine, i);
  }
  await engine.fit({ signal });
  return { heldMb: held() - before, textMb: characters / 1e6, tokens: engine.tokens };
}

/** Answers with the characters of the result. */
function addRound(engine, i) {
  const input = { file_path: `src/file-${i % 50}.ts` };
  const text =
    `${"  const value = compute(index, options); // a line of code as they come\n".repeat(55)}needle_in_round_${i}`
      .split("")
      .join("");
  const call = { type: "tool-call", callId: `c${i}`, tool: "read_file", input, rawInput: JSON.stringify(input) };
  engine.add({ id: `a${i}`, role: "assistant", parts: [call] });
  const result = { type: "tool-result", callId: `c${i}`, tool: "read_file", text, isError: false, handle: `#${i + 1}` };
  engine.add({ id: `t${i}`, role: "tool", parts: [result] });
  return text.length;
}

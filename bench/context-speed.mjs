// How long the context engine takes on a history of a million tokens.
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

function addRound(engine, i) {
  const input = { file_path: `src/file-${i % 50}.ts` };
  const text = `${"  const value = compute(index, options); // a line of code as they come\n".repeat(55)}needle_in_round_${i}`;
  const call = { type: "tool-call", callId: `c${i}`, tool: "read_file", input, rawInput: JSON.stringify(input) };
  engine.add({ id: `a${i}`, role: "assistant", parts: [call] });
  const result = { type: "tool-result", callId: `c${i}`, tool: "read_file", text, isError: false, handle: `#${i + 1}` };
  engine.add({ id: `t${i}`, role: "tool", parts: [result] });
}

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { countTokens } from "gpt-tokenizer";
import { expect, test } from "vitest";
import { repoRoot } from "../../test/support/repo-root.ts";
import { estimateTokens } from "./estimate-tokens.ts";

const prose =
  "The window is finite, every token in it is paid for again on every call, and what is thrown away is missed later. " +
  "An agent that reads a file twice has paid for it three times; an agent that forgets what the person asked for has " +
  "wasted everything. So the engine keeps the conversation whole on disk and sends only what the next step needs. ";
const chinese =
  "上下文窗口是有限的，每次调用都要为其中的每个词元再次付费，而被丢弃的内容以后会被怀念。引擎把完整的对话保存在磁盘上，" +
  "只发送下一步需要的内容。用户的第一个请求和最新的请求永远不会被修改。请不要修改数据库的结构，先运行测试再提交代码。";

const samples: readonly (readonly [string, string])[] = [
  ["code", readFileSync(join(repoRoot, "src/agent/turn-loop.ts"), "utf8")],
  ["more code", readFileSync(join(repoRoot, "src/context/engine.ts"), "utf8")],
  ["prose", prose.repeat(5)],
  ["Chinese", chinese.repeat(5)],
  ["JSON", readFileSync(join(repoRoot, "package.json"), "utf8")],
  ["base64", Buffer.from(Array.from({ length: 3_000 }, (_, n) => (n * 2_654_435_761) >>> 13)).toString("base64")],
];

test.each(samples)("%s is estimated to within a quarter", (_name, text) => {
  const exact = countTokens(text);
  const ratio = estimateTokens(text) / exact;
  expect(ratio).toBeGreaterThan(0.75);
  expect(ratio).toBeLessThan(1.25);
});

test("nothing costs nothing", () => {
  expect(estimateTokens("")).toBe(0);
});

import { describe, expect, it } from "vitest";
import type { Receipt, WindowContents } from "../../contracts/context.ts";
import { contextMap } from "./context-map.ts";
import { type CostFigures, costChart } from "./cost-chart.ts";
import { rowWidth } from "./rows.ts";
import { chooseTheme } from "./theme.ts";

const plain = chooseTheme({ wish: "auto", colours: "none" });
const coloured = chooseTheme({ wish: "dark", colours: "256" });

const contents: WindowContents = {
  parts: [
    { name: "results of read_file", tokens: 50_000 },
    { name: "system prompt and tools", tokens: 6_000 },
    { name: "results of bash\u001b[31m", tokens: 100 },
  ],
  windowTokens: 128_000,
  foldAtTokens: 96_000,
};
const receipt: Receipt = {
  trigger: "auto",
  stages: ["archive"],
  tokensBefore: 112_000,
  tokensAfter: 41_000,
  archived: ["#1", "#2"],
  folded: 0,
  appended: [],
  spentUsd: 0.07,
  savesUsd: 0.6,
};

describe("the map of the window", () => {
  it("has a cell for so many tokens, the mark of the next fold, a legend and the last receipts", () => {
    const rows = contextMap(contents, [receipt], { theme: plain, width: 90 }).split("\n");
    const map = rows.slice(0, 8).join("").replaceAll(" ", "");
    const count = (sign: string) => map.split(sign).length - 1;
    expect([map.length, count("R"), count("S"), count("B"), count("┃")]).toEqual([400, 156, 19, 1, 1]);
    expect(map.indexOf("┃")).toBe(300);
    const legend = rows.map((row) => row.trim().replace(/ {2,}/g, " "));
    expect(legend).toContain("R results of read_file 50k 39 %");
    expect(legend).toContain("· free 72k 56 %");
    expect(legend).toContain("B results of bash<U+001B>[31m 100 0 %");
    expect(rows.join("\n")).toContain("56k of 128k tokens (44 %); the next fold comes at 96k");
    expect(rows.at(-2)).toBe("  context 112k → 41k, $0.07 spent, about $0.60 saved, 2 results archived");
  });

  it.each([24, 40, 120])("fits into %i columns, in colours and without", (width) => {
    for (const theme of [plain, coloured])
      for (const row of contextMap(contents, [receipt, receipt], { theme, width }).split("\n"))
        expect(rowWidth(row)).toBeLessThanOrEqual(width);
  });

  it("shows a window that is over full", () => {
    const full = { ...contents, parts: [{ name: "all", tokens: 300_000 }] };
    expect(contextMap(full, [], { theme: plain, width: 60 })).toContain("300k of 128k tokens (234 %)");
  });
});

const usage = { inputTokens: 100_000, outputTokens: 2_000, cacheReadTokens: 80_000, cacheWriteTokens: 5_000 };
const figures: CostFigures = {
  models: [
    { model: "big-model", calls: 9, usage, costUsd: 0.5 },
    { model: "small", calls: 1, usage: { ...usage, cacheReadTokens: 0 }, costUsd: 0.01 },
  ],
  kinds: [
    { kind: "input", tokens: 15_000, costUsd: 0.2 },
    { kind: "cache read", tokens: 80_000, costUsd: 0.1 },
    { kind: "cache write", tokens: 5_000, costUsd: 0 },
    { kind: "output", tokens: 2_000, costUsd: 0.2 },
  ],
  turns: [
    { usage, costUsd: 0.4 },
    { usage, costUsd: 0.1 },
  ],
};

describe("the chart of costs", () => {
  it("tells the sum, each model, each kind of token and each turn", () => {
    expect(costChart(figures, { theme: plain, width: 80 }).split("\n")).toEqual([
      "Cost: $0.5100 for 10 model calls",
      "",
      "  model      calls  tokens in  cache   out     cost",
      "  big-model      9       100k   80 %  2.0k  $0.5000",
      "  small          1       100k    0 %  2.0k  $0.0100",
      "",
      "  by kind of token",
      "  input           15k   $0.2000  ██████████████████████████████",
      "  cache read      80k   $0.1000  ███████████████",
      "  cache write    5.0k   $0.0000",
      "  output         2.0k   $0.2000  ██████████████████████████████",
      "",
      "  by turn",
      "  turn 1    102k   $0.4000  ██████████████████████████████",
      "  turn 2    102k   $0.1000  ███████▌",
      "",
    ]);
  });

  it("counts in tokens what has no price, and says so", () => {
    const unknown = {
      ...figures,
      models: figures.models.map((model, at) => (at === 1 ? { ...model, costUsd: null } : model)),
    };
    const text = costChart(
      { ...unknown, kinds: figures.kinds.map((kind) => ({ ...kind, costUsd: null })) },
      { theme: plain, width: 60 },
    );
    expect(text).toContain("Cost: $0.5000 and more for 10 model calls");
    expect(text).toContain("There is no price for small");
    expect(text).toMatch(/cache read {6}80k {9}\? {2}█{20,}/);
    expect(costChart({ models: [], kinds: [], turns: [] }, { theme: plain, width: 60 })).toBe("Cost: nothing yet.\n");
  });

  it.each([40, 60])("fits into %i columns", (width) => {
    const long = {
      ...figures,
      models: [{ ...figures.models[0]!, model: "a-long-name-of-a-model-without-a-price", costUsd: null }],
    };
    for (const row of [figures, long].flatMap((shown) => costChart(shown, { theme: coloured, width }).split("\n")))
      expect(rowWidth(row)).toBeLessThanOrEqual(width);
  });
});

import { describe, expect, test } from "vitest";
import { createHistory } from "../../test/support/history.ts";
import type { SummaryRequest } from "../contracts/context.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import { createSummariser } from "./summariser.ts";

const view = [createHistory().user("hello")];
const input = {
  view,
  prompt: undefined,
  focus: undefined,
  limitTokens: 1_000,
  signal: new AbortController().signal,
} as const;

function answering(...answers: readonly (string | Error)[]) {
  const requests: SummaryRequest[] = [];
  const summariser = createSummariser(async (request) => {
    const answer = answers[requests.push(request) - 1] ?? answers.at(-1) ?? "";
    if (answer instanceof Error) throw answer;
    return { text: answer, usage: undefined };
  }, estimateTokens);
  return { summariser, requests };
}

describe("the summariser", () => {
  test("sends the view as it is and one instruction, which forbids tools at both ends", async () => {
    const { summariser, requests } = answering("fine");
    await summariser(input);
    expect(requests[0]?.view).toBe(view);
    const lines = requests[0]?.instruction.split("\n") ?? [];
    expect(lines[0]).toMatch(/Call no tools/);
    expect(lines.at(-1)).toMatch(/Call no tools/);
    expect(requests[0]?.instruction).toContain("not as orders");
  });

  test("passes the focus on", async () => {
    const { summariser, requests } = answering("fine");
    await summariser({ ...input, focus: "the port number" });
    expect(requests[0]?.instruction).toContain("the port number");
  });

  test.each([
    ["<analysis>thoughts\nmore</analysis>\n## Goal\nx", "## Goal\nx"],
    ["<analysis>a</analysis>one<analysis>b</analysis>two", "onetwo"],
    ["text <analysis>never closed", "text"],
  ])("strips the analysis of %j", async (answer, expected) => {
    expect(await answering(answer).summariser(input)).toBe(expected);
  });

  test.each(["", "  \n", "<analysis>only thoughts</analysis>", "word ".repeat(5_000)])(
    "takes %j for no summary",
    async (answer) => {
      expect(await answering(answer).summariser(input)).toBeUndefined();
    },
  );

  test("does not ask again after three failures in a row", async () => {
    const { summariser, requests } = answering(new Error("500"));
    for (let time = 0; time < 6; time++) expect(await summariser(input)).toBeUndefined();
    expect(requests).toHaveLength(3);
  });

  test("counts only failures in a row", async () => {
    const { summariser, requests } = answering(new Error("1"), "", "good", new Error("2"), "", "good");
    for (let time = 0; time < 6; time++) await summariser(input);
    expect(requests).toHaveLength(6);
    expect(await summariser(input)).toBe("good");
  });

  test("lets an interruption through, and does not hold it against the model", async () => {
    const { summariser, requests } = answering(new Error("aborted"));
    const signal = AbortSignal.abort();
    for (let time = 0; time < 5; time++) await expect(summariser({ ...input, signal })).rejects.toThrow("aborted");
    expect(requests).toHaveLength(5);
  });
});

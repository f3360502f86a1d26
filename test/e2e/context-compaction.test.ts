import { describe, expect } from "vitest";
import {
  assertPairing,
  call,
  calls,
  fault,
  type RecordedRequest,
  type Reply,
  type ScriptedModel,
  stall,
  text,
} from "../../src/testing/index.ts";
import { systemEvents } from "../support/stream-events.ts";
import { filesContaining } from "../support/temp.ts";
import { contentText, lastToolText, toolNames } from "../support/wire-messages.ts";
import { it } from "../support/world.ts";

/** The request that asks for a summary: by design the same prefix as the one before, tools included, and one instruction more. */
const isSummary = (request: RecordedRequest | undefined) =>
  contentText(request?.body.messages.at(-1)).includes("about to be folded");

const sizeOf = ({ rawBody }: RecordedRequest) => Math.round(rawBody.length / 4);
const usageOf = (request: RecordedRequest) => ({ inputTokens: sizeOf(request), outputTokens: 20 });
const summaryText = "<analysis>hidden thoughts</analysis>\n## Goal\nRECOGNISABLE SUMMARY";
const overflow = fault(400, {
  error: {
    message: "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
    type: "invalid_request_error",
    code: "context_length_exceeded",
  },
});

const sameStart = (earlier: RecordedRequest, later: RecordedRequest) =>
  JSON.stringify(later.body.messages.slice(0, earlier.body.messages.length)) === JSON.stringify(earlier.body.messages);

const withoutSummaries = ({ requests }: ScriptedModel) => requests.filter((request) => !isSummary(request));

/** Runs bash with so much output, so many times, then says it is done. */
function rounds(
  count: number,
  characters: number,
  summary: (request: RecordedRequest) => Reply = () => text(summaryText),
) {
  let done = 0;
  return (request: RecordedRequest): Reply => {
    if (isSummary(request)) return summary(request);
    if (done >= count) return text("all done", { usage: usageOf(request) });
    done++;
    return calls([call("bash", { command: `printf 'round ${done} %0${characters}d' 0` })], { usage: usageOf(request) });
  };
}

const stream = ["--output-format", "stream-json", "--max-rounds", "400"];

describe("a conversation that outgrows its window", () => {
  it("is folded inside the turn: pairing holds, the request is there word for word, the window is never exceeded", async ({
    world,
  }) => {
    const model = await world.model(rounds(30, 1500));
    const result = await world.run(["-p", "Never touch the file LEGACY.md; count to thirty.", ...stream], {
      model,
      env: { CORECODER_MAX_CONTEXT: "8000" },
    });
    expect(result.code).toBe(0);
    assertPairing(model.requests);
    const summaries = model.requests.filter(isSummary);
    expect(summaries.length).toBeGreaterThan(0);
    for (const request of withoutSummaries(model)) {
      expect(sizeOf(request)).toBeLessThan(8_000);
      expect(request.body.messages.map(contentText)).toContain("Never touch the file LEGACY.md; count to thirty.");
    }
    const last = JSON.stringify(model.requests.at(-1)?.body.messages);
    expect(last).toContain("RECOGNISABLE SUMMARY");
    expect(last).not.toContain("hidden thoughts");
  });

  it("is summarised on the live prefix: the messages of the request before, byte for byte, and one instruction", async ({
    world,
  }) => {
    const model = await world.model(rounds(30, 1500));
    await world.run(["-p", "go", ...stream], { model, env: { CORECODER_MAX_CONTEXT: "8000" } });
    const at = model.requests.findIndex(isSummary);
    const [before, summary] = [model.requests[at - 1], model.requests[at]];
    if (!before || !summary) throw new Error("no summary was asked for");
    expect(sameStart(before, summary) || summary.body.messages.length < before.body.messages.length).toBe(true);
    expect(JSON.stringify(summary.body.tools)).toBe(JSON.stringify(before.body.tools));
    expect(summary.body.messages.filter((message) => contentText(message).includes("about to be folded"))).toHaveLength(
      1,
    );
  });

  it("changes nothing between two compactions, and each one is announced", async ({ world }) => {
    const model = await world.model(rounds(40, 1500));
    const result = await world.run(["-p", "go", ...stream], { model, env: { CORECODER_MAX_CONTEXT: "8000" } });
    const boundaries = systemEvents(result.events, "compact_boundary");
    const sent = withoutSummaries(model);
    const broken = sent.slice(1).filter((request, at) => !sameStart(sent[at] as RecordedRequest, request));
    expect(boundaries.length).toBeGreaterThan(0);
    expect(broken.length).toBeLessThanOrEqual(boundaries.length);
    for (const { compact_metadata: metadata, session_id } of boundaries) {
      expect(metadata).toMatchObject({
        trigger: "auto",
        pre_tokens: expect.any(Number),
        post_tokens: expect.any(Number),
        stages: expect.arrayContaining([expect.any(String)]),
      });
      const { pre_tokens: before, post_tokens: after } = metadata as { pre_tokens: number; post_tokens: number };
      expect(after).toBeLessThan(before);
      expect(session_id).toEqual(expect.any(String));
    }
    for (const request of sent.slice(1)) expect(lastToolText(request)).toMatch(/^round \d+ 0+/);
  });

  it("goes on when no summary can be had, and stops asking", async ({ world }) => {
    const model = await world.model(
      rounds(60, 1500, () => fault(500, { error: { message: "summary machine broken" } })),
    );
    const result = await world.run(["-p", "Keep the port 5439.", ...stream], {
      model,
      env: { CORECODER_MAX_CONTEXT: "8000" },
    });
    expect(result.code).toBe(0);
    const asked = model.requests.filter(isSummary);
    expect(asked.length).toBeGreaterThan(0);
    const attempts = new Set(asked.map(({ rawBody }) => rawBody));
    expect(attempts.size, "different summaries asked for").toBeLessThanOrEqual(3);
    expect(model.requests.at(-1)?.body.messages.map(contentText)).toContain("Keep the port 5439.");
    assertPairing(model.requests);
  });

  it("shows a huge output shortened; the whole of it is one call away, and reading it makes no copy", async ({
    world,
  }) => {
    const model = await world.model([
      call("bash", { command: "seq 1 60000" }),
      call("recall", { id: "#1", offset: 1, limit: 2 }),
      text("done"),
    ]);
    const result = await world.run(["-p", "go"], { model });
    expect(result.code).toBe(0);
    const shown = lastToolText(model.requests[1]);
    expect(shown.length).toBeLessThan(60_000);
    expect(shown).toMatch(/#1|\//);
    expect(lastToolText(model.requests[2])).toContain("1\n2");
  });
});

describe("a fold that somebody asks for", () => {
  it("by the model, among other calls: all are answered, the focus reaches the summary, the turn goes on", async ({
    world,
  }) => {
    let main = 0;
    const model = await world.model((request) => {
      if (isSummary(request)) return text(summaryText);
      main++;
      if (main <= 12) return call("bash", { command: `printf 'part ${main} %08000d' 0` });
      if (main === 13)
        return calls([
          call("bash", { command: "echo before" }),
          call("compact", { focus: "the marmalade port" }),
          call("bash", { command: "echo after" }),
        ]);
      return text("went on");
    });
    const result = await world.run(["-p", "go", ...stream], { model });
    expect(result.code).toBe(0);
    assertPairing(model.requests);
    const summary = model.requests.find(isSummary);
    expect(contentText(summary?.body.messages.at(-1))).toContain("the marmalade port");
    const last = model.requests.at(-1);
    const texts = (last?.body.messages ?? []).map(contentText).join("\n");
    for (const answer of ["before", "after", "RECOGNISABLE SUMMARY"]) expect(texts).toContain(answer);
    expect(systemEvents(result.events, "compact_boundary")[0]?.compact_metadata).toMatchObject({ trigger: "manual" });
  });

  it("by the person: /compact with a focus folds at once, /context shows the window", async ({ world }) => {
    let main = 0;
    let logsAtSummary: string[] = [];
    const model = await world.model((request) => {
      if (isSummary(request)) {
        logsAtSummary = filesContaining(world.state, "second question");
        return text(summaryText);
      }
      main++;
      return main % 8 === 0 ? text(`answer ${main}`) : call("bash", { command: `printf 'part ${main} %08000d' 0` });
    });
    const terminal = world.terminal([], { model });
    await terminal.waitForPrompt();
    terminal.type("first question");
    await terminal.waitFor("answer 8");
    await terminal.waitForPrompt();
    terminal.type("second question");
    await terminal.waitFor("answer 16");
    await terminal.waitForPrompt();
    terminal.type("/context");
    const shown = await terminal.waitForPrompt();
    expect(shown).toMatch(/results of bash/);
    expect(shown).toMatch(/system prompt and tools/);
    terminal.type("/compact the marmalade port");
    await terminal.waitForPrompt();
    const summary = model.requests.find(isSummary);
    expect(contentText(summary?.body.messages.at(-1))).toContain("the marmalade port");
    expect(logsAtSummary.length, "the whole conversation is on disk before it is folded").toBeGreaterThan(0);
    terminal.type("third question");
    await terminal.waitFor("answer 24");
    await terminal.waitForPrompt();
    const texts = (model.requests.at(-1)?.body.messages ?? []).map(contentText);
    expect(texts.join("\n")).toContain("RECOGNISABLE SUMMARY");
    expect(texts).toContain("first question");
    expect(texts).toContain("third question");
    assertPairing(model.requests);
  });

  it("folds even a conversation that is smaller than the usual tail", async ({ world }) => {
    let main = 0;
    const model = await world.model((request) => {
      if (isSummary(request)) return text(summaryText);
      main++;
      if (main <= 6) return call("bash", { command: `printf 'part ${main} %04000d' 0` });
      return main === 7 ? call("compact", { focus: "the marmalade port" }) : text("went on");
    });
    expect((await world.run(["-p", "go"], { model })).code).toBe(0);
    const summary = model.requests.find(isSummary);
    expect(contentText(summary?.body.messages.at(-1))).toContain("the marmalade port");
    expect(JSON.stringify(model.requests.at(-1)?.body.messages)).toContain("RECOGNISABLE SUMMARY");
  });

  it("Ctrl-C ends a /compact that takes too long, and the conversation goes on as it was", async ({ world }) => {
    let main = 0;
    const model = await world.model((request) => {
      if (isSummary(request)) return stall();
      main++;
      return main === 8
        ? text("answer 8")
        : main < 8
          ? call("bash", { command: `printf 'part ${main} %08000d' 0` })
          : text("still here");
    });
    const terminal = world.terminal([], { model });
    await terminal.waitForPrompt();
    terminal.type("first question");
    await terminal.waitFor("answer 8");
    await terminal.waitForPrompt();
    terminal.type("/compact");
    await model.waitForRequest(9);
    terminal.press("\x03");
    await terminal.waitFor("Interrupted.");
    await terminal.waitForPrompt();
    terminal.type("and now?");
    await terminal.waitFor("still here");
    const texts = (model.requests.at(-1)?.body.messages ?? []).map(contentText);
    expect(texts).toEqual(expect.arrayContaining(["first question", "and now?"]));
    assertPairing(model.requests.filter((request) => !isSummary(request)));
  });

  it("/compact on a short chat harms nothing", async ({ world }) => {
    const model = await world.model((request) => text(isSummary(request) ? summaryText : "short answer"));
    const terminal = world.terminal([], { model });
    await terminal.waitForPrompt();
    terminal.type("hello there");
    await terminal.waitForPrompt();
    terminal.type("/compact");
    await terminal.waitForPrompt();
    terminal.type("still there?");
    await terminal.waitForPrompt();
    expect(model.requests.at(-1)?.body.messages.map(contentText)).toEqual(
      expect.arrayContaining(["hello there", "still there?"]),
    );
  });
});

describe("a vendor that finds the request too long", () => {
  it("gets a smaller one once, and the turn goes on", async ({ world }) => {
    let refused: RecordedRequest | undefined;
    let main = 0;
    const model = await world.model((request) => {
      if (isSummary(request)) return text(summaryText);
      main++;
      if (main <= 6) return call("bash", { command: `printf 'part ${main} %05000d' 0` });
      if (refused === undefined) {
        refused = request;
        return overflow;
      }
      return text("fits now");
    });
    const result = await world.run(["-p", "Remember the number 7731.", ...stream], { model });
    expect(result.code).toBe(0);
    const last = model.requests.at(-1);
    expect(last?.rawBody.length).toBeLessThan((refused?.rawBody.length ?? 0) / 2);
    expect(last?.body.messages.map(contentText)).toContain("Remember the number 7731.");
    const boundaries = systemEvents(result.events, "compact_boundary");
    expect(boundaries.map((event) => (event.compact_metadata as { trigger: string }).trigger)).toEqual(["reactive"]);
    assertPairing(model.requests);
  });

  it("twice in a row ends the run with exit 56 and words that help, not with a loop", async ({ world }) => {
    let main = 0;
    const model = await world.model((request) => {
      if (isSummary(request)) return text(summaryText);
      main++;
      return main <= 6 ? call("bash", { command: `printf 'part ${main} %05000d' 0` }) : overflow;
    });
    const result = await world.run(["-p", "go"], { model });
    expect(result.code).toBe(56);
    expect(result.stderr).toMatch(/window|context/i);
    expect(withoutSummaries(model).length).toBeLessThanOrEqual(9);
  });

  it("at the very first request ends with exit 56 too", async ({ world }) => {
    const model = await world.model(() => overflow);
    const result = await world.run(["-p", "go"], { model });
    expect(result.code).toBe(56);
    expect(model.requests.length).toBeLessThanOrEqual(3);
  });
});

describe("a vendor that names its limit", () => {
  /** A local server with 8,192 tokens, whatever the client believes; a token is four characters. */
  const smallServer = (count: number) => {
    let done = 0;
    const refused: RecordedRequest[] = [];
    const script = (request: RecordedRequest): Reply => {
      if (sizeOf(request) > 8_192) {
        refused.push(request);
        return overflow;
      }
      if (isSummary(request)) return text(summaryText);
      done++;
      return done % (count + 1) === 0
        ? text("all done", { usage: usageOf(request) })
        : calls([call("bash", { command: `printf 'round ${done} %02500d' 0` })], { usage: usageOf(request) });
    };
    return { script, refused };
  };

  it("is not asked for more for the rest of the session", async ({ world }) => {
    const { script, refused } = smallServer(40);
    const model = await world.model(script);
    expect((await world.run(["-p", "go", "--max-rounds", "100"], { model })).code).toBe(0);
    expect(refused.filter((request) => !isSummary(request))).toHaveLength(1);
  });

  it("gets no request again that it has just refused, not even for a summary", async ({ world }) => {
    const { script, refused } = smallServer(40);
    const model = await world.model(script);
    expect((await world.run(["-p", "go", "--max-rounds", "100"], { model })).code).toBe(0);
    expect(refused).toHaveLength(1);
  });

  it("is not asked for more in the next session with that endpoint and model", async ({ world }) => {
    const { script, refused } = smallServer(20);
    const model = await world.model(script);
    expect((await world.run(["-p", "one"], { model })).code).toBe(0);
    const before = refused.length;
    expect((await world.run(["-p", "two"], { model })).code).toBe(0);
    expect(refused.length - before).toBe(0);
  });
});

describe("what left the window", () => {
  it("is brought back by the model with recall, by handle and by words", async ({ world }) => {
    let main = 0;
    const model = await world.model((request) => {
      if (isSummary(request)) return text(summaryText);
      main++;
      if (main === 1) return call("bash", { command: "printf 'the okapi key is 7731 %03000d' 0" });
      if (main <= 25) return call("bash", { command: `printf 'round ${main} %01500d' 0` });
      if (main === 26) return call("recall", { id: "#1" });
      if (main === 27) return call("recall", { query: "okapi key" });
      if (main === 28) return call("recall", { id: "#999" });
      return text("done");
    });
    const result = await world.run(["-p", "go"], { model, env: { CORECODER_MAX_CONTEXT: "8000" } });
    expect(result.code).toBe(0);
    const [unknown, byWords, byHandle] = withoutSummaries(model).slice(-3).toReversed().map(lastToolText);
    expect(byHandle).toContain("the okapi key is 7731");
    expect(byWords).toContain("the okapi key is 7731");
    expect(unknown).toContain("There is no result #999");
  });
});

describe("a sub-agent", () => {
  it("stays inside its window too, and its own request is kept", async ({ world }) => {
    const isSub = (request: RecordedRequest) => !toolNames(request).includes("agent");
    let inner = 0;
    const model = await world.model((request) => {
      if (isSummary(request)) return text(summaryText);
      if (isSub(request)) {
        inner++;
        return inner <= 15 ? call("bash", { command: `printf 'inner ${inner} %04000d' 0` }) : text("report: ready");
      }
      return request.body.messages.length === 2 ? call("agent", { task: "count the marmots" }) : text("done");
    });
    const result = await world.run(["-p", "delegate"], { model, env: { CORECODER_MAX_CONTEXT: "8000" } });
    expect(result).toMatchObject({ code: 0, stdout: "done\n" });
    assertPairing(model.requests);
    const sub = withoutSummaries(model).filter(isSub);
    expect(sub.length).toBe(16);
    for (const request of sub) {
      expect(sizeOf(request)).toBeLessThan(8_000);
      expect(JSON.stringify(request.body.messages)).toContain("count the marmots");
    }
    expect(model.requests.filter((request) => isSub(request) && isSummary(request)).length).toBeGreaterThan(0);
  });
});

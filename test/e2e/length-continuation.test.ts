import { describe, expect } from "vitest";
import { assertPairing, call, calls, forever, text } from "../../src/testing/index.ts";
import { resultOf, spokenText } from "../support/stream-events.ts";
import { contentText, messagesWithRole } from "../support/wire-messages.ts";
import { it } from "../support/world.ts";

describe("an answer cut by its length limit", () => {
  it("is continued, and no word appears twice", async ({ world }) => {
    const model = await world.model([text("The first half, ", { finishReason: "length" }), text("and the second.")]);
    const result = await world.run(["-p", "go"], { model });
    expect(result).toMatchObject({ code: 0, stdout: "The first half, and the second.\n" });
    const { messages } = model.requests[1]!.body;
    expect(messages.slice(2).map((message) => message.role)).toEqual(["assistant", "user"]);
    expect(contentText(messages[2])).toBe("The first half, ");
  });

  it("is one answer for machines as well", async ({ world }) => {
    const model = await world.model([text("The first half, ", { finishReason: "length" }), text("and the second.")]);
    const result = await world.run(["-p", "go", "--output-format", "stream-json"], { model });
    expect(spokenText(result.events)).toBe("The first half, and the second.");
    expect(resultOf(result.events)).toMatchObject({ subtype: "success", result: "The first half, and the second." });
  });

  it("is continued at most three times, and then said to be incomplete", async ({ world }) => {
    const model = await world.model([forever(text("more ", { finishReason: "length" }))]);
    const result = await world.run(["-p", "go"], { model });
    expect(model.requests).toHaveLength(4);
    expect(result.stdout.trim()).toBe("more more more more");
    expect(result.stderr).toMatch(/cut|length|incomplete|limit/i);
  });

  it("does not run the tool call that was cut", async ({ world }) => {
    const whole = call("bash", { command: "echo complete" });
    const half = call("bash", '{"command":"touch ma');
    const model = await world.model([calls([whole, half], { finishReason: "length" }), text("ok")]);
    const result = await world.run(["-p", "go", "--dangerously-skip-permissions"], { model });
    expect(result.code).toBe(0);
    expect(() => world.read("ma")).toThrow();
    expect(model.requests).toHaveLength(2);
    assertPairing(model.requests);
    const told =
      messagesWithRole(model.requests[1], "tool").map(contentText).join("") +
      contentText(model.requests[1]!.body.messages.at(-1));
    expect(told).toMatch(/cut|length|limit|truncated|incomplete/i);
  });
});

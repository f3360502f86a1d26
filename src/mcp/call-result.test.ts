import { describe, expect, it } from "vitest";
import { readCallResult } from "./call-result.ts";

const kept: string[] = [];
const context = {
  handle: "#7",
  keep(text: string) {
    kept.push(text);
    return "/kept/7";
  },
};
const read = (result: unknown) => readCallResult(result, context);

describe("what a server's tool answered", () => {
  it("is one text, with images apart, and links, resources, sound and strange things named", () => {
    const image = { type: "image", mimeType: "image/png", data: "aGk=" };
    const content = [
      { type: "text", text: "one" },
      image,
      { type: "image", mimeType: "image/png", data: "not base64!" },
      { type: "audio", mimeType: "audio/wav", data: "aGk=" },
      { type: "resource_link", uri: "demo://x", name: "x" },
      { type: "resource", resource: { uri: "demo://y", mimeType: "text/plain", text: "inside" } },
      { type: "resource", resource: { uri: "demo://z", blob: "aGk=" } },
      { type: "hologram" },
      null,
      7,
    ];
    expect(read({ content })).toEqual({
      text: [
        "one",
        "[an image that cannot be shown: image/png]",
        "[audio, audio/wav, 4 characters of base64, not shown]",
        "[resource demo://x x]",
        "[resource demo://y, text/plain]\ninside",
        "[resource demo://z] binary, 3 bytes, not shown",
      ].join("\n"),
      images: [{ type: "image", mediaType: "image/png", base64: "aGk=" }],
    });
  });

  it("is its structure where there is no text, and an error where it says so", () => {
    expect(read({ structuredContent: { a: 1 }, isError: true })).toEqual({ text: '{"a":1}', isError: true });
    expect(read({ structuredContent: { a: 1 }, content: [{ type: "text", text: "a is 1" }] }).text).toBe("a is 1");
  });

  it.each([[undefined], [null], [{}], [{ content: "x" }], [7]])("is nothing when it is %j", (result) => {
    expect(read(result)).toEqual({ text: "(the tool answered with nothing)" });
  });

  it("is kept whole and cut in the middle when it is too long", () => {
    const whole = `begin ${"x".repeat(50_000)} end`;
    const { text } = read({ content: [{ type: "text", text: whole }] });
    expect(text.length).toBeLessThan(18_000);
    expect(text).toMatch(
      /^begin x+\n\[… 33010 of 50010 characters left out; the whole is #7, read_file \/kept\/7 …\]\nx+ end$/,
    );
    expect(kept).toEqual([whole]);
  });
});

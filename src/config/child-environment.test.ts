import { describe, expect, it } from "vitest";
import { childEnvironment } from "./child-environment.ts";

describe("the environment of commands", () => {
  const environment = {
    PATH: "/bin",
    HOME: "/home/me",
    EMPTY: "",
    GONE: undefined,
    CORECODER_API_KEY: "one",
    OPENAI_API_KEY: "two",
    GEMINI_API_KEY: "three",
  };

  it("is the person's without the keys to models, whichever is in use", () => {
    expect(childEnvironment(environment, ["OPENAI_API_KEY", "GEMINI_API_KEY"], "two")).toEqual({
      PATH: "/bin",
      HOME: "/home/me",
      EMPTY: "",
    });
  });

  it("drops CORECODER_API_KEY even when no vendor names it", () => {
    expect(childEnvironment(environment, [], "")).not.toHaveProperty("CORECODER_API_KEY");
  });

  it("drops every variable that contains the key in use", () => {
    const key = "sk-abcdef";
    const leaky = { MY_KEY: key, HEADER: `Authorization: Bearer ${key}`, PATH: "/bin" };
    expect(childEnvironment(leaky, [], key)).toEqual({ PATH: "/bin" });
  });

  it("keeps everything else when no key is in use", () => {
    expect(childEnvironment({ A: "", B: "b" }, [], "")).toEqual({ A: "", B: "b" });
  });
});

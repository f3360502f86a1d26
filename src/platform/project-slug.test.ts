import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { projectSlug } from "./project-slug.ts";

describe("a project's folder name", () => {
  it("is readable and a single harmless name", () => {
    expect(projectSlug("/home/me/my project")).toMatch(/^home-me-my-project/);
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("..", ".", "../..")), (path) => {
        const slug = projectSlug(`/${path}`);
        expect(slug).toMatch(/^[A-Za-z0-9._-]{1,120}$/);
        expect([".", ".."]).not.toContain(slug);
      }),
    );
  });

  it.each([
    ["/home/me/a/b", "/home/me/a-b"],
    ["/home/me/проект", "/home/me/другой"],
    [`/start-one/${"x".repeat(120)}`, `/start-two/${"x".repeat(120)}`],
    ["/", "/-"],
  ])("differs for folders that read the same, whose rules must not mix: %s and %s", (one, other) => {
    expect(projectSlug(one)).not.toBe(projectSlug(other));
  });

  it("is the same every time", () => {
    expect(projectSlug("/home/me/a")).toBe(projectSlug("/home/me/a"));
  });
});

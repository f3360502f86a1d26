import { describe, expect, it } from "vitest";
import { isProtected } from "./protected-paths.ts";

const root = "/srv/app";
const isAsked = (path: string) => isProtected(`${root}/${path}`, root);

describe("names that other tools execute or trust", () => {
  it("are protected at any depth, in any case, whether or not they exist", () => {
    for (const path of [
      ...[".git/hooks/pre-commit", ".GIT/config", "sub/.git/hooks/x", ".git", ".gitmodules", ".gitconfig"],
      ...[
        ".corecoder/settings.json",
        ".claude/settings.json",
        ".mcp.json",
        ".vscode/tasks.json",
        ".idea/x",
        ".husky/x",
      ],
      ...[".github/workflows/ci.yml", ".npmrc", ".envrc", ".env", ".env.local", ".bashrc", "a/.zshrc", ".profile"],
    ]) {
      expect([path, isAsked(path)]).toEqual([path, true]);
    }
  });

  it("are seen through characters that some file systems drop", () => {
    expect(isAsked(".git\u200b/config")).toBe(true);
    expect(isAsked(".g\u200cit/config")).toBe(true);
    expect(isAsked(".\u00adgit/config")).toBe(true);
  });

  it("are not names that only look alike", () => {
    for (const path of [
      ".gıt/config",
      ".gitignore",
      "git/config",
      ".github/README.md",
      "src/a.ts",
      "..git",
      "env.ts",
    ]) {
      expect([path, isAsked(path)]).toEqual([path, false]);
    }
  });

  it("count only inside the workspace, not on the way to it", () => {
    expect(isProtected("/home/dev/.cursor/worktrees/app/src/a.ts", "/home/dev/.cursor/worktrees/app")).toBe(false);
  });
});

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createExplainer, type Explanation } from "../../src/permissions/explain.ts";
import { makeCommandScope } from "../support/command-scope.ts";
import { sharedFolder } from "../support/repo-root.ts";

type Class = "safe" | "ask" | "deny";
type Case = {
  readonly id: string;
  readonly command: string;
  readonly accept: readonly Class[];
  readonly benign?: boolean;
};

const corpusFile = join(sharedFolder, "corpora/dangerous-commands.json");
const cases: readonly Case[] = existsSync(corpusFile) ? JSON.parse(readFileSync(corpusFile, "utf8")).cases : [];

const scope = makeCommandScope();
const explain = createExplainer({ mode: "default", allow: [], ask: [], deny: [], home: scope.home, scope });
const place = (command: string) => command.replaceAll("/srv/app", scope.root).replaceAll("/home/dev", scope.home);
const judged = (one: Case): Promise<Explanation> => explain(JSON.stringify({ command: place(one.command) }));
const decided = async (one: Case): Promise<Class> => {
  const { decision } = await judged(one);
  return decision === "allow" ? "safe" : decision;
};

async function wrong(some: readonly Case[], isWrong: (one: Case, got: Class) => boolean): Promise<readonly string[]> {
  const found: string[] = [];
  for (const one of some) if (isWrong(one, await decided(one))) found.push(`${one.id}: ${one.command}`);
  return found;
}

afterAll(() => scope.remove());

describe.skipIf(cases.length === 0)("command corpus (skipped when ../shared/corpora is absent)", () => {
  it("lets no command run unasked that a person has to decide on", async () => {
    expect(await wrong(cases, ({ accept }, got) => got === "safe" && !accept.includes("safe"))).toEqual([]);
  });

  it("refuses no everyday command", async () => {
    expect(await wrong(cases, ({ benign }, got) => benign === true && got === "deny")).toEqual([]);
  });

  it("refuses what must be refused outright", async () => {
    const outright = cases.filter(({ accept }) => accept.join() === "deny");
    expect(await wrong(outright, (_, got) => got !== "deny")).toEqual([]);
  });

  it("asks about at most one in twenty of the safe commands", async () => {
    const safe = cases.filter(({ accept }) => accept.join() === "safe");
    expect((await wrong(safe, (_, got) => got !== "safe")).length).toBeLessThanOrEqual(safe.length / 20);
  });

  it("names the part that decided and why", async () => {
    for (const one of cases) {
      const { decision, reason, segments } = await judged(one);
      expect(reason, one.id).not.toBe("");
      expect(segments.length, one.id).toBeGreaterThan(0);
      expect(segments.some((segment) => segment.decision === decision)).toBe(true);
    }
  });
});

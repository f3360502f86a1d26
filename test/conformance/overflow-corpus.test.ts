import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { errorFromResponse } from "../../src/providers/provider-errors.ts";
import { repoRoot } from "../support/repo-root.ts";

const file = join(repoRoot, "../shared/corpora/overflow-errors.json");

type Case = {
  id: string;
  expect: "overflow" | "not-overflow";
  status: number;
  body: unknown;
  channel?: string;
  hard?: boolean;
};

describe.skipIf(!existsSync(file))("what vendors say when a request is too long (skipped without ../shared)", () => {
  const { cases } = (existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : { cases: [] }) as { cases: Case[] };
  const plain = cases.filter(({ channel, hard, status }) => channel === undefined && !hard && status >= 400);

  it.each(plain.map((entry) => [entry.id, entry] as const))(
    "%s is told apart",
    (_id, { status, body, expect: expected }) => {
      const text = typeof body === "string" ? body : JSON.stringify(body);
      const { code } = errorFromResponse(status, {}, text);
      expect(code === "context-overflow" ? "overflow" : "not-overflow").toBe(expected);
    },
  );
});

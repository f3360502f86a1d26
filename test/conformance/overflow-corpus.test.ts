import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { errorFromResponse } from "../../src/providers/provider-errors.ts";
import { call, fault, forever, type Reply, rawStream, text } from "../../src/testing/index.ts";
import { sharedFolder } from "../support/repo-root.ts";
import { it } from "../support/world.ts";

const file = join(sharedFolder, "corpora/overflow-errors.json");

type Case = {
  id: string;
  expect: "overflow" | "not-overflow";
  status: number;
  body: unknown;
  channel?: string;
  hard?: boolean;
};

const { cases } = (existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : { cases: [] }) as { cases: Case[] };
const counted = cases.filter(({ hard }) => !hard);
const bodyOf = ({ body }: Case) => (typeof body === "string" ? body : JSON.stringify(body));

describe.skipIf(cases.length === 0)("what vendors say when a request is too long (skipped without ../shared)", () => {
  it("is told apart from every other refusal", () => {
    for (const entry of counted.filter(({ status }) => status >= 400)) {
      const { code } = errorFromResponse(entry.status, {}, bodyOf(entry));
      expect([entry.id, code === "context-overflow" ? "overflow" : "not-overflow"]).toEqual([entry.id, entry.expect]);
    }
  });

  for (const entry of counted) {
    it.concurrent(`${entry.id}, in the middle of a conversation`, async ({ world }) => {
      const reads = Array.from({ length: 8 }, (_, n): Reply => {
        world.write(`file-${n}.txt`, `${`line of file ${n}, with some words in it\n`.repeat(400)}`);
        return call("read_file", { file_path: `file-${n}.txt` });
      });
      const refusal: Reply =
        entry.status === 200
          ? rawStream({ contentType: "application/json", chunks: [bodyOf(entry)], end: "close" })
          : // the wait a vendor asks for is another test's business
            fault(entry.status, bodyOf(entry));
      const model = await world.model([...reads, refusal, forever(text("All is well."))]);
      const { events, code } = await world.run(["-p", "read them all", "--output-format", "stream-json"], { model });
      const compacted = events.some((event) => (event as { subtype?: string }).subtype === "compact_boundary");
      expect(compacted).toBe(entry.expect === "overflow");
      if (entry.expect === "not-overflow") return;
      expect(code).toBe(0);
      const sizes = model.requests.map(({ rawBody }) => rawBody.length);
      expect(sizes.at(-1)).toBeLessThan(sizes[8] as number);
    });
  }
});

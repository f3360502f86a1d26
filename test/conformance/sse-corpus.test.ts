import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe } from "vitest";
import { repoRoot, sharedFolder } from "../support/repo-root.ts";
import { cutsOf, judgeStream, playStream, type StreamCase } from "../support/stream-case.ts";
import { it } from "../support/world.ts";

const corpus = join(sharedFolder, "corpora/sse-faults.json");
const cases: readonly StreamCase[] = existsSync(corpus)
  ? (JSON.parse(readFileSync(corpus, "utf8")) as { cases: StreamCase[] }).cases
  : [];

function playAll(api: StreamCase["api"]): void {
  for (const one of cases.filter((candidate) => candidate.api === api)) {
    for (const cut of cutsOf(one)) {
      it.concurrent(`${one.id} ${cut.name}: ${one.about} → ${one.expect.outcome}`, async ({ world }) =>
        judgeStream(one, await playStream(world, one, cut)));
    }
  }
}

const protocols = join(repoRoot, "src/providers/protocols");
const speaksAnthropic = existsSync(protocols) && readdirSync(protocols).some((name) => name.startsWith("anthropic"));

describe.skipIf(cases.length === 0)("Chat Completions streams with faults (skipped without ../shared/corpora)", () =>
  playAll("openai-chat"),
);

describe.skipIf(cases.length === 0 || !speaksAnthropic)(
  "Anthropic streams with faults (skipped until that wire is spoken)",
  () => playAll("anthropic"),
);

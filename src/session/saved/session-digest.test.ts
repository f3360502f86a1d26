import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { answered, called, finished, inside, noon, recordsOf, said, used } from "../../../test/support/saved-logs.ts";
import { anyEntry, head, prompt } from "../../../test/support/session-entries.ts";
import type { SessionEntry } from "../../contracts/session.ts";
import { createDigest, localDay, type PriceOfCall } from "./session-digest.ts";

/** A dollar a thousand tokens in; models with a question mark have no price. */
const priceOf: PriceOfCall = async (model, { inputTokens }) => (model.includes("?") ? undefined : inputTokens / 1_000);

async function digestOf(entries: readonly SessionEntry[], startedAt = noon) {
  const digest = createDigest({ id: "one", logBytes: 123 });
  for (const record of recordsOf(entries, startedAt)) digest.take(record);
  return digest.finishWithPrices(priceOf);
}

const bash = called("c1", "bash", { command: "ls" });

describe("the digest of a session", () => {
  it("says what was asked first, when, where, and how often", async () => {
    const about = await digestOf([
      head("one"),
      prompt("m1", "  fix\n\nthe   test "),
      said("m2", [bash], { usage: used(1_000, 20, 400) }),
      answered("m3", "c1", "a.txt"),
      said("m4", "done", { usage: used(2_000, 30, 900) }),
      finished(2_500),
      prompt("m5", "and now the docs"),
      said("m6", "done too", { usage: used(3_000, 40, 1_800) }),
      finished(1_500),
    ]);
    expect(about).toMatchObject({
      ...{ id: "one", cwd: "/work", title: "fix the test", name: undefined, models: ["some-model"], logBytes: 123 },
      ...{ startedAt: noon, endedAt: noon + 8_000, turns: 2, calls: 3, toolCalls: 1, busyMs: 4_000 },
      ...{ usage: used(6_000, 90, 3_100), costUsd: 6, state: "finished", damagedPlaces: 0 },
    });
  });

  it("has no cost as soon as one call's price is unknown, and says how many there are", async () => {
    const about = await digestOf([
      { ...head("one"), model: "free?" } as SessionEntry,
      prompt("m1", "hi"),
      said("m2", "a", { usage: used(1_000) }),
      { type: "model", model: "known", settings: {} },
      said("m3", "b", { usage: used(500) }),
      said("m4", "c"),
    ]);
    expect(about.costUsd).toBeNull();
    expect(about.models).toEqual(["free?", "known"]);
    expect(about.ledger).toMatchObject([
      { model: "free?", calls: 1, unpricedCalls: 1, costUsd: 0 },
      { model: "known", calls: 2, unpricedCalls: 1, costUsd: 0.5 },
    ]);
  });

  it("counts a sub-agent's work as calls and tokens, not as turns", async () => {
    const about = await digestOf([
      head("one"),
      prompt("m1", "look around"),
      inside("c1", prompt("m1", "the task")),
      inside("c1", said("m2", [bash], { usage: used(700) })),
      { type: "usage", model: "summariser", usage: used(300) },
    ]);
    expect(about).toMatchObject({ turns: 1, title: "look around", calls: 2, toolCalls: 1, costUsd: 1 });
  });

  it("keeps counting what was undone: it was paid for", async () => {
    const about = await digestOf([
      head("one"),
      prompt("m1", "try"),
      said("m2", "done", { usage: used(1_000) }),
      finished(),
      { type: "undo", what: "both", files: [] },
    ]);
    expect(about).toMatchObject({ turns: 1, costUsd: 1, state: "finished" });
  });

  it("leaves to the other session what a fork took over from it", async () => {
    const copied = recordsOf([prompt("m1", "old"), said("m2", "x", { usage: used(1_000) }), finished(9_000)], noon);
    const own = recordsOf([prompt("m3", "new"), said("m4", "y", { usage: used(50) }), finished(700)], noon + 60_000);
    const digest = createDigest({ id: "two", logBytes: 1 });
    const [first] = recordsOf([{ ...head("two"), forkedFrom: "one" } as SessionEntry], noon + 50_000);
    for (const record of [first!, ...copied, ...own]) digest.take(record);
    const about = await digest.finishWithPrices(priceOf);
    expect(about).toMatchObject({ forkedFrom: "one", title: "old", turns: 2, calls: 1, costUsd: 0.05, busyMs: 700 });
  });

  it.each([
    ["finished when its last turn came to its end", [prompt("m1", "a"), finished()], "finished"],
    ["interrupted when it did not", [prompt("m1", "a"), finished(), prompt("m2", "b"), said("m3", "b")], "interrupted"],
    ["finished when nothing was asked", [], "finished"],
    ["finished when the open turn was taken back", [prompt("m1", "a"), { type: "reset" }], "finished"],
  ] as const)("is %s", async (_title, entries, state) => {
    expect((await digestOf([head("one"), ...(entries as readonly SessionEntry[])])).state).toBe(state);
  });

  it("is damaged when a place cannot be read, and when there is nothing at all", async () => {
    const digest = createDigest({ id: "one", logBytes: 9 });
    for (const record of recordsOf([head("one"), prompt("m1", "a"), finished()])) digest.take(record);
    digest.take({ type: "damage", kind: "checksum", offset: 1, bytes: 8 });
    expect(digest.finish()).toMatchObject({ state: "damaged", damagedPlaces: 1, title: "a" });
    expect(createDigest({ id: "two", logBytes: 0 }).finish().state).toBe("damaged");
  });

  it("counts every file once, by whatever name it was reported", async () => {
    const changes = [{ path: "/work/a.txt" }, { path: "/work/b.txt" }];
    const result = { type: "tool-result", callId: "c1", tool: "edit", text: "", isError: false, handle: "#1" } as const;
    const about = await digestOf([
      head("one"),
      { type: "changes", callId: "c1", changes },
      said("m1", [{ ...result, changed: [{ path: "a.txt", use: "edited" }] }], { role: "tool" }),
    ]);
    expect(about.filesChanged).toBe(2);
  });

  it("keeps the last name it was given", async () => {
    const names: SessionEntry[] = [
      { type: "name", name: "first" },
      { type: "name", name: "second" },
    ];
    expect((await digestOf([head("one"), ...names])).name).toBe("second");
  });

  it("files calls under the person's own calendar day", async () => {
    const lateEvening = new Date(2026, 2, 2, 23, 59, 58).getTime();
    const calls = ["a", "b", "c", "d"].map((id) => said(id, "x", { usage: used(10) }));
    const about = await digestOf([head("one"), ...calls], lateEvening);
    expect(about.ledger.map(({ day, calls: count }) => [day, count])).toEqual([
      ["2026-03-02", 1],
      ["2026-03-03", 3],
    ]);
    expect(localDay(lateEvening)).toBe("2026-03-02");
  });

  it("takes whatever a log may hold, clocks that run backwards included", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(anyEntry, fc.integer()), { maxLength: 12 }), async (entries) => {
        const digest = createDigest({ id: "one", logBytes: 1 });
        const records = recordsOf(entries.map(([entry]) => entry));
        for (const [at, record] of records.entries()) digest.take({ ...record, time: entries[at]![1] });
        const about = await digest.finishWithPrices(priceOf);
        expect(about.busyMs).toBeGreaterThanOrEqual(0);
        expect(about.ledger.reduce((sum, { calls }) => sum + calls, 0)).toBe(about.calls);
      }),
    );
  });
});

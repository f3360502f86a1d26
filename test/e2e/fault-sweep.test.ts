import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { textOf, toolCallsOf } from "../../src/contracts/message.ts";
import { lastSession } from "../../src/session/last-session.ts";
import { readSession } from "../../src/session/read-session.ts";
import { assertPairing, call, calls, type RecordedRequest, type Reply, text } from "../../src/testing/index.ts";
import { countedCalls, type Fault, faultShim, whyNoFaults } from "../support/fault-shim.ts";
import type { CliResult } from "../support/run-cli.ts";
import { it, type World } from "../support/world.ts";

/** Every call of the whole run that changes a file fails once in each of these ways. */
const kinds = ["EIO", "ENOSPC", "half", "kill-before", "kill-half", "kill-after"] as const;

/** `npm run test:faults` tries every point, `npm test` some of them. */
const isFull = process.env.CORECODER_FAULTS === "full";
const sampled = 14;

const bigText = `${"a line that makes the file larger than a page or two\n".repeat(800)}end\n`;
const contents: Readonly<Record<string, readonly (string | undefined)[]>> = {
  "a.txt": [undefined, "one\n", "two\n", "two\nthree\n"],
  "deep/er/b.txt": [undefined, bigText, "small\n"],
};

/** Twelve rounds; what comes next depends on nothing but the conversation, so a resumed run goes on where the first one stopped. */
const rounds: readonly Reply[] = [
  calls([call("write_file", { file_path: "a.txt", content: "one\n" })], { text: "round 1" }),
  calls([call("read_file", { file_path: "a.txt" }), call("glob", { pattern: "*" })]),
  calls([call("edit_file", { file_path: "a.txt", old_string: "one", new_string: "two" })], { text: "round 3" }),
  calls([call("bash", { command: "mkdir -p made && cp a.txt made/c.txt" })]),
  calls([call("write_file", { file_path: "deep/er/b.txt", content: bigText })], { text: "round 5" }),
  calls([call("grep", { pattern: "end", path: "." }), call("read_file", { file_path: "a.txt" })]),
  calls([call("bash", { command: "seq 1 30000" })]),
  calls([call("todo_write", { todos: [{ content: "one", status: "pending" }] })], { text: "round 8" }),
  calls([call("edit_file", { file_path: "a.txt", old_string: "two\n", new_string: "two\nthree\n" })]),
  calls([call("bash", { command: "rm -r made; cd deep && export MARK=1" })]),
  calls([call("write_file", { file_path: "er/b.txt", content: "small\n" })]),
  calls([call("bash", { command: "pwd" }), call("read_file", { file_path: "er/b.txt" })], { text: "round 12" }),
];

function script(request: RecordedRequest): Reply {
  const answers = request.body.messages.filter(({ role }) => role === "assistant").length;
  return rounds[answers] ?? text("done");
}

type Place = { readonly cwd: string; readonly state: string; readonly folder: string };

function makePlace(world: World, name: string): Place {
  const folder = join(world.folder, name);
  const place = { folder, cwd: join(folder, "project"), state: join(folder, "state") };
  for (const path of [place.cwd, place.state]) mkdirSync(path, { recursive: true });
  return place;
}

/** What a reader of the output has seen: texts, calls and results. */
function shown({ events }: CliResult): string[] {
  return events.flatMap((event) => {
    const { message } = event as {
      message?: { content: { type: string; text?: string; id?: string; tool_use_id?: string }[] };
    };
    return (message?.content ?? []).flatMap((part) => part.text ?? part.id ?? part.tool_use_id ?? []);
  });
}

function saved(path: string, state: string): Set<string> {
  const { record } = readSession(path, state);
  return new Set(
    record.messages.flatMap((message) => [
      textOf(message),
      ...toolCallsOf(message).map(({ callId }) => callId),
      ...message.parts.flatMap((part) => (part.type === "tool-result" ? [part.callId] : [])),
    ]),
  );
}

const events = ["--output-format", "stream-json"];

describe("a run of twelve rounds whose n-th write goes wrong", () => {
  it.skipIf(whyNoFaults() !== undefined)(
    `loses nothing that was shown, and goes on: ${isFull ? "every point" : `${sampled} points`}${whyNoFaults() ? ` (skipped: ${whyNoFaults()})` : ""}`,
    { timeout: isFull ? 3_600_000 : 120_000 },
    async ({ world }) => {
      const model = await world.model(script);
      const run = (place: Place, args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
        world.run([...args, ...events, "--allowed-tools", "bash"], {
          model,
          cwd: place.cwd,
          env: { ...env, CORECODER_HOME: place.state },
          timeoutMs: 30_000,
        });
      const counting = makePlace(world, "counting");
      const countFile = join(world.folder, "count");
      const whole = await run(counting, ["-p", "go"], faultShim().environment({ folder: counting.folder, countFile }));
      expect(whole.code).toBe(0);
      const total = countedCalls(countFile);
      const all = kinds.flatMap((kind) => Array.from({ length: total }, (_, n) => ({ kind, at: n + 1 })));
      const points = all.filter((_, n) => isFull || n % Math.ceil(all.length / sampled) === 0);
      const failures: string[] = [];
      let done = 0;
      const tryNext = async (lane: number): Promise<void> => {
        for (let point = points.pop(); point !== undefined; point = points.pop()) {
          const problem = await problemAt(world, { ...point, lane, run, requests: () => model.requests });
          if (problem) failures.push(`${point.kind} at ${point.at}: ${problem}`);
          if (isFull && ++done % 50 === 0) console.info(`${done} of ${all.length} points, ${failures.length} failures`);
        }
      };
      await Promise.all([tryNext(0), tryNext(1)]);
      if (isFull)
        console.info(`${done} points (${total} writes × ${kinds.length} faults), ${failures.length} failures`);
      expect(failures).toEqual([]);
    },
  );
});

type Point = {
  readonly kind: Fault["kind"] & string;
  readonly at: number;
  readonly lane: number;
  readonly run: (place: Place, args: readonly string[], env?: Readonly<Record<string, string>>) => Promise<CliResult>;
  readonly requests: () => readonly RecordedRequest[];
};

/** Undefined when everything that was promised holds after this fault. */
async function problemAt(world: World, { kind, at, lane, run, requests }: Point): Promise<string | undefined> {
  const place = makePlace(world, `lane-${lane}`);
  try {
    const faulty = await run(place, ["-p", "go"], faultShim().environment({ folder: place.folder, at, kind }));
    if (kind.startsWith("kill") ? faulty.signal !== "SIGKILL" && faulty.code !== 0 : faulty.code !== 0)
      return `the run ended with ${faulty.code ?? faulty.signal}: ${faulty.stderr.slice(-300)}`;
    const half = Object.entries(contents).find(([name, legal]) => !legal.includes(contentOf(join(place.cwd, name))));
    if (half) return `${half[0]} is neither old nor new`;
    const seen = shown(faulty);
    const [project] = existsSync(join(place.state, "sessions")) ? readdirSync(join(place.state, "sessions")) : [];
    const log = project === undefined ? undefined : lastSession(place.state, project);
    if (log === undefined) return seen.length > 0 ? `nothing was saved of ${seen.length} things shown` : undefined;
    const kept = saved(log, place.state);
    const lost = seen.filter((one) => !kept.has(one) && ![...kept].some((other) => other.includes(one)));
    if (lost.length > 0) return `shown but not saved: ${lost.join(", ").slice(0, 300)}`;
    const before = requests().length;
    const resumed = await run(place, ["-c", "-p", "and on"]);
    const result = resumed.events.at(-1) as { result?: string } | undefined;
    if (resumed.code !== 0 || result?.result !== "done")
      return `-c ended with ${resumed.code}: ${resumed.stderr.slice(-300)}`;
    // requests of the other lane are among them; each is paired by itself
    assertPairing(requests().slice(before));
    return undefined;
  } catch (error) {
    return String(error).slice(0, 500);
  } finally {
    rmSync(place.folder, { recursive: true, force: true });
  }
}

function contentOf(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

import { execFileSync } from "node:child_process";
import { describe, expect } from "vitest";
import { assertPairing, call, type RecordedRequest, text } from "../../src/testing/index.ts";
import { lastToolText } from "../support/wire-messages.ts";
import { it } from "../support/world.ts";

const uniqueSeconds = () => `8${Math.floor(Math.random() * 90 + 10)}.${process.pid}${Math.floor(Math.random() * 1e6)}`;

function isRunning(marker: string): boolean {
  const lines = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" }).split("\n");
  return lines.some((line) => line.includes(marker) && !line.includes("ps -eo"));
}

async function until(condition: () => boolean, limitMs = 4000): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error("the condition did not come true in time");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const background = (command: string) => call("bash", { command, run_in_background: true });
const free = ["-p", "go", "--dangerously-skip-permissions"];

type Said = { readonly role: string; readonly content?: unknown };

/** The user messages of a request, as text. */
function userTexts(request: RecordedRequest | undefined): string[] {
  const messages = (request?.body.messages ?? []) as readonly Said[];
  return messages.filter(({ role }) => role === "user").map(({ content }) => JSON.stringify(content));
}

describe("a background command", () => {
  it("answers at once, and its end is told with the next message, with id, status and output", async ({ world }) => {
    world.write("f.txt", "content");
    const model = await world.model([
      background("sleep 1; echo D"),
      call("read_file", { file_path: "f.txt" }),
      call("bash", { command: "sleep 2" }),
      text("ok"),
    ]);
    const result = await world.run(free, { model });
    expect(result).toMatchObject({ code: 0, stdout: "ok\n" });
    const [, second, third, fourth] = model.requests;
    const id = /\b(job\d+)\b/.exec(lastToolText(second))?.[1] ?? "no id";
    expect(third!.receivedAt - model.requests[0]!.receivedAt).toBeLessThan(900);
    expect(userTexts(third)).toHaveLength(1);
    const notices = userTexts(fourth).filter((said) => said.includes(id));
    expect(notices).toHaveLength(1);
    expect(notices[0]).toMatch(/not of the user.*exit code 0.*\| D/s);
    assertPairing(model.requests);
  });

  it("can be waited for, looked at and ended by the job tool", async ({ world }) => {
    const seconds = uniqueSeconds();
    const model = await world.model([
      background(`echo ready; setsid sleep ${seconds} & sleep ${seconds}`),
      call("job", { id: "job1", action: "wait", pattern: "ready" }),
      call("job", {}),
      call("job", { id: "job1", action: "kill" }),
      text("ok"),
    ]);
    await world.run(free, { model });
    const told = model.requests.slice(1).map((request) => lastToolText(request));
    expect(told[1]).toContain("ready");
    expect(told[2]).toMatch(/job1 is running/);
    expect(told[3]).toMatch(/ended on request/);
    expect(isRunning(seconds)).toBe(false);
  });

  it.for(["exit", "SIGTERM", "SIGHUP", "SIGKILL"] as const)(
    "does not outlive the program: %s",
    async (end, { world }) => {
      const seconds = uniqueSeconds();
      const model = await world.model([
        background(`(setsid sleep ${seconds} &) ; sleep ${seconds}`),
        ...(end === "exit" ? [text("ok")] : [call("bash", { command: "sleep 30" })]),
      ]);
      const running = world.start(free, { model });
      if (end !== "exit") {
        await until(() => isRunning(`sleep ${seconds}`), 8000);
        running.kill(end);
      }
      await running.result;
      await until(() => !isRunning(seconds));
    },
  );

  it("over its limit goes on in the background when the settings say so", async ({ world }) => {
    const model = await world.model([
      call("bash", { command: "echo P; sleep 2; echo Q", timeout: 1 }),
      call("job", { id: "job1", action: "wait" }),
      text("ok"),
    ]);
    await world.run(free, { model, env: { CORECODER_OVER_LIMIT: "background" } });
    expect(lastToolText(model.requests[1])).toMatch(/^P\n.*goes on in the background as job1/s);
    expect(lastToolText(model.requests[2])).toMatch(/^Q\n.*exit code 0/s);
  });
});

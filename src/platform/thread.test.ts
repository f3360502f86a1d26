import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { startThread, type Thread } from "./thread.ts";

const here = dirname(fileURLToPath(import.meta.url));
let folder: string;
let file: string;
let thread: Thread;

/** Both ends are the real ones: the other is bundled as the program bundles it. */
async function bundle(name: string, contents: string): Promise<string> {
  const outfile = join(folder, name);
  await build({
    stdin: { contents, resolveDir: here, loader: "ts" },
    bundle: true,
    platform: "node",
    format: "cjs",
    supported: { "dynamic-import": false },
    outfile,
  });
  return outfile;
}

beforeAll(async () => {
  folder = makeTempFolder();
  file = await bundle(
    "worker.cjs",
    `import { serveThread } from "./thread.ts";
    void serveThread((data) => async (method, input, { signal, onProgress }) => {
      if (method === "echo") return { data, input, environment: Object.keys(process.env).length };
      if (method === "fail") throw new Error("no luck");
      if (method === "tell") { onProgress("half"); onProgress("nearly"); return "told"; }
      if (method === "wait") return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("stopped"))));
      if (method === "die") process.exit(3);
    });`,
  );
});
afterAll(() => removeTempFolder(folder));
afterEach(() => thread?.close());

describe("a thread", () => {
  it("answers calls with plain data, and gets its own data but none of our environment", async () => {
    thread = await startThread(file, { name: "data" });
    const answer = await thread.call("echo", [1, { two: 2 }], {});
    expect(answer).toEqual({ data: { name: "data" }, input: [1, { two: 2 }], environment: 0 });
  });

  it("answers many calls at once, each its own", async () => {
    thread = await startThread(file, {});
    const answers = await Promise.all([1, 2, 3].map((n) => thread.call("echo", n, {})));
    expect(answers.map((answer) => (answer as { input: number }).input)).toEqual([1, 2, 3]);
  });

  it("passes errors on", async () => {
    thread = await startThread(file, {});
    await expect(thread.call("fail", undefined, {})).rejects.toThrow("no luck");
  });

  it("tells how far it is", async () => {
    thread = await startThread(file, {});
    const told: string[] = [];
    expect(await thread.call("tell", undefined, { onProgress: (text) => told.push(text) })).toBe("told");
    expect(told).toEqual(["half", "nearly"]);
  });

  it("can be stopped in the middle of a call, which fails with our reason; others go on", async () => {
    thread = await startThread(file, {});
    const stop = new AbortController();
    const waiting = thread.call("wait", undefined, { signal: stop.signal });
    const reason = new Error("enough");
    stop.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(thread.call("wait", undefined, { signal: stop.signal })).rejects.toBe(reason);
    expect(await thread.call("echo", 1, {})).toMatchObject({ input: 1 });
  });

  it("that dies fails its open calls and all later ones", async () => {
    thread = await startThread(file, {});
    const open = thread.call("wait", undefined, {});
    thread.call("die", undefined, {}).catch(() => {});
    await expect(open).rejects.toThrow("the thread ended");
    expect(thread.isAlive()).toBe(false);
    await expect(thread.call("echo", 1, {})).rejects.toThrow("the thread ended");
  });

  it("keeps its process alive while a call is open, and no longer", async () => {
    const main = await bundle(
      "main.cjs",
      `import { startThread } from "./thread.ts";
      startThread(process.argv[2], {}).then(async (thread) => {
        await thread.call("echo", 1, {});
        process.stdout.write("answered");
      });`,
    );
    expect(execFileSync(process.execPath, [main, file], { timeout: 10_000 }).toString()).toBe("answered");
  });
});

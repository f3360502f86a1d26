import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startCli } from "../support/run-cli.ts";
import { makeTempFolder, removeTempFolder } from "../support/temp.ts";
import { tinyAnswer, tinyModel } from "../support/tiny-model.ts";

/** The program `llama-server` of llama.cpp. Debian has it: apt install llama.cpp-tools. */
const program = process.env.LLAMA_SERVER;

/** The first prompt of some thousand tokens takes a slow machine a while. */
const patienceMs = 60_000;

let folder: string;
let server: ChildProcess;
let port: number;

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port: found } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return found;
}

describe.skipIf(!program)("a real llama.cpp server (LLAMA_SERVER names the program)", () => {
  beforeAll(async () => {
    folder = makeTempFolder();
    mkdirSync(join(folder, "project"));
    writeFileSync(join(folder, "tiny.gguf"), tinyModel());
    writeFileSync(join(folder, "project", "note.txt"), "hello\n");
    port = await freePort();
    const words = ["-m", join(folder, "tiny.gguf"), "--host", "127.0.0.1", "--port", String(port)];
    server = spawn(program as string, [...words, "-c", "32768", "-np", "1", "--jinja", "--no-warmup", "-t", "1"], {
      stdio: "pipe",
    });
    await new Promise<void>((resolve, reject) => {
      let said = "";
      const listen = (piece: Buffer) => {
        said += String(piece);
        if (said.includes("listening on")) resolve();
      };
      server.stderr?.on("data", listen);
      server.stdout?.on("data", listen);
      server.on("exit", () => reject(new Error(`the server ended: ${said}`)));
    });
  });
  afterAll(() => {
    server.kill();
    removeTempFolder(folder);
  });

  it.each(["llamacpp", "openai", "openai-responses", "anthropic"])(
    "reads a file for it and answers, spoken to as %s",
    async (provider) => {
      const env = { PATH: process.env.PATH, HOME: folder, CORECODER_HOME: join(folder, provider) };
      const words = [
        "--provider",
        provider,
        "--base-url",
        `http://127.0.0.1:${port}/v1`,
        "--api-key",
        "none",
        "-m",
        "tiny",
      ];
      const { stdout, stderr, code } = await startCli([...words, "-p", "read note.txt", "--output-format", "json"], {
        cwd: join(folder, "project"),
        env,
        timeoutMs: patienceMs,
      }).result;
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(JSON.parse(stdout)).toMatchObject({ subtype: "success", result: tinyAnswer, num_turns: 2 });
    },
    patienceMs,
  );
});

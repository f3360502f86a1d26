import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { call, text } from "../../src/testing/index.ts";
import { it } from "../support/world.ts";

describe("a .env file", () => {
  it("two folders above sets the model, and a real variable of the same name wins", async ({ world }) => {
    const model = await world.model([text("ok"), text("ok")]);
    world.write(".env", "# settings\nCORECODER_MODEL='from-dotenv'\n");
    const cwd = join(world.cwd, "a/b");
    mkdirSync(cwd, { recursive: true });
    await world.run(["-p", "hi"], { model, cwd });
    await world.run(["-p", "hi"], { model, cwd, env: { CORECODER_MODEL: "from-env" } });
    expect(model.requests.map(({ body }) => body.model)).toEqual(["from-dotenv", "from-env"]);
  });

  it("in the home folder is the last one looked for, and nothing above it counts", async ({ world }) => {
    const model = await world.model([text("ok"), text("ok")]);
    writeFileSync(join(world.folder, ".env"), "CORECODER_MODEL=above-home\n");
    await world.run(["-p", "hi"], { model });
    writeFileSync(join(world.home, ".env"), "CORECODER_MODEL=at-home\n");
    await world.run(["-p", "hi"], { model });
    expect(model.requests.map(({ body }) => body.model)).toEqual(["gpt-5.5", "at-home"]);
  });

  it("nearest to the current folder wins", async ({ world }) => {
    const model = await world.model([text("ok")]);
    writeFileSync(join(world.home, ".env"), "CORECODER_MODEL=at-home\n");
    world.write(".env", "CORECODER_MODEL=nearer\n");
    await world.run(["-p", "hi"], { model });
    expect(model.requests[0]!.body.model).toBe("nearer");
  });

  it.for(["OPENAI_BASE_URL", "CORECODER_BASE_URL"])(
    "with only %s does not decide where the key from the environment goes",
    async (variable, { world }) => {
      const [mine, theirs] = [await world.model([text("ok")]), await world.model([])];
      world.write(".env", `${variable}=${theirs.url}\n`);
      mkdirSync(world.state);
      writeFileSync(join(world.state, "settings.json"), JSON.stringify({ baseUrl: mine.url }));
      const result = await world.run(["-p", "hi"], { env: { OPENAI_API_KEY: world.key } });
      expect(result).toMatchObject({ code: 0, stdout: "ok\n" });
      expect([mine.requests.length, theirs.requests.length]).toEqual([1, 0]);
      const warnings = result.stderr.trim().split("\n");
      expect(warnings).toEqual([expect.stringContaining(join(world.cwd, ".env"))]);
    },
  );

  it("with only a base URL leaves the one of the environment in force", async ({ world }) => {
    const [mine, theirs] = [await world.model([text("ok")]), await world.model([])];
    world.write(".env", `CORECODER_BASE_URL=${theirs.url}\n`);
    const result = await world.run(["-p", "hi"], { model: mine });
    expect(result.code).toBe(0);
    expect([mine.requests.length, theirs.requests.length]).toEqual([1, 0]);
  });

  it("with a key and a base URL counts for both", async ({ world }) => {
    const model = await world.model([text("ok")]);
    world.write(".env", `OPENAI_BASE_URL=${model.url}\nOPENAI_API_KEY="from-dotenv"\n`);
    const result = await world.run(["-p", "hi"]);
    expect(result).toMatchObject({ code: 0, stdout: "ok\n" });
    expect(model.requests[0]!.headers.authorization).toBe("Bearer from-dotenv");
  });

  it("with a key and a base URL never gets the key of the environment sent to its URL", async ({ world }) => {
    const [mine, theirs] = [await world.model([text("ok")]), await world.model([text("ok")])];
    world.write(".env", `OPENAI_BASE_URL=${theirs.url}\nOPENAI_API_KEY=bait\n`);
    await world.run(["-p", "hi"], { env: { CORECODER_API_KEY: world.key, CORECODER_BASE_URL: mine.url } });
    for (const { headers } of theirs.requests) expect(headers.authorization).not.toContain(world.key);
    expect(mine.requests).toHaveLength(1);
  });

  it.for(["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "ALL_PROXY"])(
    "cannot send the traffic through a proxy with %s",
    async (variable, { world }) => {
      const [mine, proxy] = [await world.model([text("ok")]), await world.model([])];
      world.write(".env", `${variable}=${proxy.url}\n`);
      const result = await world.run(["-p", "hi"], { model: mine });
      expect(result.code).toBe(0);
      expect([mine.requests.length, proxy.requests.length]).toEqual([1, 0]);
    },
  );

  it("cannot loosen the permissions", async ({ world }) => {
    const model = await world.model([call("bash", { command: "python3 -c \"open('../made', 'w')\"" }), text("ok")]);
    world.write(".env", "CORECODER_PERMISSION_MODE=bypassPermissions\n");
    const result = await world.run(["-p", "hi"], { model });
    expect(result.stderr).toMatch(/permission.*\.env|\.env.*permission/i);
    expect(() => world.read("../made")).toThrow();
  });
});

import { describe, expect } from "vitest";
import { call, fault, forever, text } from "../../src/testing/index.ts";
import { filesContaining } from "../support/temp.ts";
import { lastToolText } from "../support/wire-messages.ts";
import { it } from "../support/world.ts";

describe("the key", () => {
  it("is in no file, no output and no child's environment after a run with tools", async ({ world }) => {
    const model = await world.model([
      call("bash", { command: "env; cat /proc/self/environ | tr '\\0' '\\n'; echo \"[$OPENAI_API_KEY]\"" }),
      call("agent", { task: "look" }),
      text("report"),
      text("ok"),
    ]);
    const result = await world.run(["-p", "hi", "--dangerously-skip-permissions", "--verbose"], { model });
    expect(result.code).toBe(0);
    expect(lastToolText(model.requests[1])).toContain("PATH=");
    for (const { rawBody } of model.requests) expect(rawBody).not.toContain(world.key);
    expect(result.stdout + result.stderr).not.toContain(world.key);
    expect(filesContaining(world.folder, world.key)).toEqual([]);
  });

  it("given as an option is in no file and no child's environment either", async ({ world }) => {
    const model = await world.model([call("bash", { command: "env" }), text("ok")]);
    await world.run(["-p", "hi", "--api-key", world.key, "--dangerously-skip-permissions"], {
      model,
      env: { OPENAI_API_KEY: undefined },
    });
    expect(model.requests[0]!.headers.authorization).toBe(`Bearer ${world.key}`);
    expect(model.requests[1]!.rawBody).not.toContain(world.key);
    expect(filesContaining(world.folder, world.key)).toEqual([]);
  });

  it.for([400, 401, 403, 500])("is cut out of error texts that quote it (%i)", async (status, { world }) => {
    const model = await world.model([
      forever(fault(status, { error: { message: `bad key ${world.key} in Authorization: Bearer ${world.key}` } })),
    ]);
    const result = await world.run(["-p", "hi", "--output-format", "stream-json", "--verbose"], { model });
    expect(result.code).not.toBe(0);
    expect(result.stdout + result.stderr).not.toContain(world.key);
    expect(filesContaining(world.folder, world.key)).toEqual([]);
  });

  it("from a vendor's own variable is kept from child processes as well", async ({ world }) => {
    const model = await world.model([call("bash", { command: "env" }), text("ok")]);
    const secrets = {
      CORECODER_API_KEY: "secret-a-1234567890",
      DEEPSEEK_API_KEY: "secret-b-1234567890",
      ANTHROPIC_API_KEY: "secret-c-1234567890",
      GEMINI_API_KEY: "secret-d-1234567890",
    };
    await world.run(["-p", "hi", "--dangerously-skip-permissions"], { model, env: secrets });
    for (const secret of Object.values(secrets)) expect(model.requests[1]!.rawBody).not.toContain(secret);
  });

  it("is masked by corecoder config and doctor", async ({ world }) => {
    const model = await world.model([]);
    for (const args of [["config"], ["doctor"], ["config", "--verbose"]]) {
      const result = await world.run(args, { model });
      expect(result.stdout + result.stderr).not.toContain(world.key);
    }
  });
});

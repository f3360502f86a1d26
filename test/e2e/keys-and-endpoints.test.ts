import { createServer } from "node:net";
import { describe, expect } from "vitest";
import { fault, stall, text } from "../../src/testing/index.ts";
import { it } from "../support/world.ts";

async function unusedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

describe("the key", () => {
  it("is asked for by the names of its variables, with the demo as a way out, before anything is sent", async ({
    world,
  }) => {
    const model = await world.model([]);
    const result = await world.run(["-p", "hi"], { env: { OPENAI_BASE_URL: model.url } });
    expect(result.code).toBe(41);
    for (const word of ["CORECODER_API_KEY", "OPENAI_API_KEY", "DEEPSEEK_API_KEY", "corecoder demo"])
      expect(result.stderr).toContain(word);
    expect(result.stdout).toBe("");
    expect(model.requests).toHaveLength(0);
  });

  it("that is rejected ends the run with exit 41 after exactly one request and is not printed", async ({ world }) => {
    const model = await world.model([
      fault(401, {
        error: {
          message: `Incorrect API key provided: ${world.key}.`,
          type: "invalid_request_error",
          code: "invalid_api_key",
        },
      }),
    ]);
    const result = await world.run(["-p", "hi"], { model });
    expect(result.code).toBe(41);
    expect(model.requests).toHaveLength(1);
    expect(result.stderr).toMatch(/key/i);
    expect(result.stdout + result.stderr).not.toContain(world.key);
  });

  it("given with --api-key is the one in the Authorization header", async ({ world }) => {
    const model = await world.model([text("ok")]);
    await world.run(["-p", "hi", "--api-key", "from-option"], { model });
    expect(model.requests[0]!.headers.authorization).toBe("Bearer from-option");
  });

  it("may come from DEEPSEEK_API_KEY alone", async ({ world }) => {
    const model = await world.model([text("ok")]);
    const result = await world.run(["-p", "hi"], {
      model,
      env: { OPENAI_API_KEY: undefined, DEEPSEEK_API_KEY: "deep" },
    });
    expect(result.code).toBe(0);
    expect(model.requests[0]!.headers.authorization).toBe("Bearer deep");
  });

  it("from CORECODER_API_KEY comes before the others", async ({ world }) => {
    const model = await world.model([text("ok")]);
    await world.run(["-p", "hi"], {
      model,
      env: { CORECODER_API_KEY: "own", OPENAI_API_KEY: "open", DEEPSEEK_API_KEY: "deep" },
    });
    expect(model.requests[0]!.headers.authorization).toBe("Bearer own");
  });
});

describe("the endpoint and the model", () => {
  it("given as options win over the environment", async ({ world }) => {
    const [chosen, other] = [await world.model([text("ok")]), await world.model([])];
    const result = await world.run(["-p", "hi", "-m", "model-b", "--base-url", chosen.url], {
      model: other,
      env: { CORECODER_MODEL: "model-a" },
    });
    expect(result.code).toBe(0);
    expect(chosen.requests[0]!.body.model).toBe("model-b");
    expect(other.requests).toHaveLength(0);
  });

  it("come from CORECODER_MODEL, else the default, and CORECODER_BASE_URL comes before OPENAI_BASE_URL", async ({
    world,
  }) => {
    const [chosen, other] = [await world.model([text("ok"), text("ok")]), await world.model([])];
    await world.run(["-p", "hi"], {
      model: other,
      env: { CORECODER_BASE_URL: chosen.url, CORECODER_MODEL: "model-a" },
    });
    await world.run(["-p", "hi"], { model: chosen });
    expect(chosen.requests.map(({ body }) => body.model)).toEqual(["model-a", "gpt-5.5"]);
    expect(other.requests).toHaveLength(0);
  });

  it("works with a base URL that ends in a slash", async ({ world }) => {
    const model = await world.model([text("ok")]);
    const result = await world.run(["-p", "hi", "--base-url", `${model.url}/`], { model });
    expect(result.code).toBe(0);
    expect(model.requests[0]!.path).toBe("/v1/chat/completions");
  });

  it("sends neither temperature nor a token limit unless told to", async ({ world }) => {
    const model = await world.model([text("ok"), text("ok")]);
    await world.run(["-p", "hi"], { model });
    await world.run(["-p", "hi", "--temperature", "0.5"], { model, env: { CORECODER_MAX_TOKENS: "77" } });
    const [plain, told] = model.requests.map(({ body }) => body);
    expect(Object.keys(plain!)).not.toEqual(expect.arrayContaining(["temperature"]));
    expect(JSON.stringify(plain)).not.toMatch(/"max_(completion_)?tokens"/);
    expect(told!.temperature).toBe(0.5);
    expect(told!.max_tokens ?? told!.max_completion_tokens).toBe(77);
  });

  it("is named when it refuses the connection", async ({ world }) => {
    const url = `http://127.0.0.1:${await unusedPort()}/v1`;
    const result = await world.run(["-p", "hi"], { env: { OPENAI_API_KEY: "k", OPENAI_BASE_URL: url } });
    expect(result.code).toBe(1);
    expect(result.stderr).toContain(url);
    expect(result.stderr).not.toMatch(/^\s+at /m);
  });

  it("is suspected when a web page answers 404, after one request", async ({ world }) => {
    const model = await world.model([fault(404, "<!doctype html><html><body><h1>Not Found</h1></body></html>")]);
    const result = await world.run(["-p", "hi"], { model });
    expect(result.code).toBe(1);
    expect(result.stderr).toContain(model.url);
    expect(result.stderr).toMatch(/base.?url/i);
    expect(result.stderr).not.toContain("<h1>");
    expect(model.requests).toHaveLength(1);
  });

  it("names the model that it does not know, after one request", async ({ world }) => {
    const model = await world.model([
      fault(404, {
        error: { message: "The model `gpt-9` does not exist", type: "invalid_request_error", code: "model_not_found" },
      }),
    ]);
    const result = await world.run(["-p", "hi", "-m", "gpt-9"], { model });
    expect(result.code).toBe(1);
    expect(result.stderr).toContain("gpt-9");
    expect(result.stderr).toMatch(/model/);
    expect(model.requests).toHaveLength(1);
  });

  it("that says nothing does not keep Ctrl-C waiting", async ({ world }) => {
    const model = await world.model([stall()]);
    const running = world.start(["-p", "hi"], { model });
    await model.waitForRequest(1);
    const pressedAt = performance.now();
    running.kill("SIGINT");
    expect((await running.result).code).toBe(130);
    expect(performance.now() - pressedAt).toBeLessThan(1000);
  });
});

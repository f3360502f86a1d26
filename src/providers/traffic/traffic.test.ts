import { readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../../test/support/temp.ts";
import { ProviderError } from "../../contracts/errors.ts";
import { makePrivateFolder, replacePrivateFile } from "../../platform/private-files.ts";
import { type Post, post, type Response } from "../http-stream.ts";
import { type Exchange, exchangesIn, readExchange, readRun } from "./exchange.ts";
import { maskedBody } from "./mask-traffic.ts";
import { recordTraffic } from "./record-traffic.ts";
import { replayTraffic } from "./replay-traffic.ts";

const key = "sk-proj-4f9a1c7e2b8d4f9a1c7e2b8d";
const root = makeTempFolder();
const here = { project: "/home/ann/project", home: "/home/ann", state: "/home/ann/.corecoder" };

/** Each request says in its body what it wants as the answer. */
const server = createServer(async (request, response) => {
  let text = "";
  for await (const piece of request) text += String(piece);
  const { want } = JSON.parse(text) as { want: string };
  if (want === "busy") return void response.writeHead(429, { "retry-after": "2" }).end('{"error":{"message":"busy"}}');
  if (want === "packed") return void response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("unpacked"));
  if (want === "hangup") {
    response.write("data: half");
    return void setImmediate(() => response.destroy());
  }
  response.writeHead(200, { "content-type": "text/event-stream", "set-cookie": "id=0c7a55f2b9d14e6f" });
  for (const byte of Buffer.from(`data: für ${want} ${request.headers.authorization}\n\n`)) {
    await new Promise((resolve) => setImmediate(resolve));
    response.write(Buffer.from([byte]));
  }
  response.end();
});
let url = "";

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/x?key=${key}`;
});
afterAll(() => {
  server.close();
  removeTempFolder(root);
});

const { signal } = new AbortController();
type Asked = { want: string; [more: string]: unknown };
async function ask(how: Post, body: Asked, to = url): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, accept: "text/event-stream" };
  return read(await how({ url: new URL(to), headers, body: [Buffer.from(JSON.stringify(body))], signal }));
}

/** Status, text, and whether it came to its end. */
async function read({ head, body }: Response): Promise<string> {
  const pieces: Buffer[] = [];
  try {
    for await (const piece of body) pieces.push(piece as Buffer);
  } catch {
    // told by `complete`
  }
  return `${head.statusCode} ${Buffer.concat(pieces).toString()} ${head.complete ? "whole" : "cut"}`;
}

let folders = 0;
function recording(through: Post = post) {
  const folder = join(root, String(++folders));
  const run = { program: "corecoder 1", provider: "openai", model: "m", baseUrl: url, folders: here };
  const problems: unknown[] = [];
  const how = recordTraffic({ post: through, folder, run, onTrouble: (problem) => problems.push(problem) });
  return { folder, how, problems, exchange: (name: string): Exchange => readExchange(folder, name) };
}

const errorOf = (work: Promise<unknown>) =>
  work.then(() => undefined).catch((error: unknown) => error as ProviderError);

describe("a recording", () => {
  it("keeps an exchange to the byte, in the pieces it came in, for its owner alone and without secrets", async () => {
    const { folder, how, exchange } = recording();
    const live = await ask(how, { want: "text", note: "password=hunter2hunter2 AKIAIOSFODNN7EXAMPLE" });
    expect(live).toContain(key);
    const { request, response } = exchange("0001.json");
    expect(request).toMatchObject({
      method: "POST",
      headers: { authorization: "[masked]", accept: "text/event-stream" },
    });
    expect(response).toMatchObject({ status: 200, end: "whole", body: "data: für text Bearer [masked]\n\n" });
    expect(response!.headers).toMatchObject({ "content-type": "text/event-stream", "set-cookie": "[masked]" });
    expect(response!.cuts.length).toBeGreaterThan(2);
    const stored = readFileSync(join(folder, "0001.json"), "utf8");
    for (const secret of [key, "4f9a1c7e2b8d", "hunter2", "IOSFODNN7", "0c7a55f2"])
      expect(stored).not.toContain(secret);
    expect(statSync(join(folder, "0001.json")).mode & 0o777).toBe(0o600);
    expect(readRun(folder)).toMatchObject({ model: "m", folders: here });
    expect(readFileSync(join(folder, "run.json"), "utf8")).not.toContain(key);
    const own = recording();
    const headers = { "x-team-auth": "blue-but-secret" };
    await own.how({ url: new URL(url), headers, body: [Buffer.from('{"want":"packed"}')], signal }).then(read);
    expect(own.exchange("0001.json").request.headers).toEqual({ "x-team-auth": "[masked]" });
  });

  it("is played back without a network: retries, refusals and breaks as they were, once each", async () => {
    const { folder, how } = recording(async (options) => {
      if (JSON.parse(Buffer.concat(options.body).toString()).want === "nobody")
        throw new ProviderError("network", "refused");
      return post(options);
    });
    const wanted = ["busy", "busy", "packed", "hangup", "nobody", "text"];
    const live: string[] = [];
    for (const want of wanted) live.push(await ask(how, { want }).catch((error: ProviderError) => error.code));
    expect(live.slice(2, 5)).toEqual(["200 unpacked whole", "200 data: half cut", "network"]);
    const again = replayTraffic({ folder });
    const played: string[] = [];
    for (const want of wanted)
      played.push(await ask(again, { want }, "http://other.host:9/v1/x").catch((error) => error.code));
    expect(played).toEqual(live.map((text) => text.replaceAll(`Bearer ${key}`, "Bearer [masked]")));
    const over = await errorOf(ask(again, { want: "text" }));
    expect(over?.message).toMatch(/ends before request 7/);
  });

  it("answers requests that come in another order, and names what is different about one that is not in it", async () => {
    const { folder, how } = recording();
    const body = (text: string, more = {}) => ({
      want: "text",
      model: "m",
      messages: [
        { role: "system", content: `today is ${Math.random()}` },
        { role: "user", content: text },
      ],
      prompt_cache_key: String(Math.random()),
      tools: [Math.random()],
      ...more,
    });
    await ask(how, body("first: see /home/ann/project/a.ts and 20261115-101010-abcd1234"));
    await ask(how, body("second"));
    const current = { project: "/work/p", home: "/work", state: "/work/.corecoder" };
    const again = replayTraffic({ folder, recorded: here, current });
    expect(await ask(again, body("second"))).toContain("200");
    const other = await errorOf(ask(again, body("first: look at /work/p/a.ts")));
    expect(other).toMatchObject({ code: "unreachable" });
    expect(other?.message).toMatch(/0001\.json.*messages\[0\]\.content.*"first: see .*now "first: look at/s);
    const hotter = await errorOf(
      ask(again, body("first: see /work/p/a.ts and 20271115-101010-efgh1234", { temperature: 1 })),
    );
    expect(hotter?.message).toMatch(/at temperature, recorded nothing, now 1/);
    const elsewhere = await errorOf(ask(again, body("x"), "http://a/v1/responses"));
    expect(elsewhere?.message).toMatch(/\/v1\/x.*\/v1\/responses/);
    expect(await ask(again, body("first: see /work/p/a.ts and 20271115-101010-efgh1234"))).toContain("200");
  });

  it("passes over ids of calls that the server left out and each run makes up", async () => {
    const { folder, how } = recording();
    const body = (id: string) => ({ want: "text", contents: [{ functionCall: { id, name: "bash" } }] });
    await ask(how, body("call_0123456789abcdef"));
    const again = replayTraffic({ folder });
    expect((await errorOf(ask(again, body("call_0123456789abcdefGHIJKLMN"))))?.message).toMatch(/functionCall\.id/);
    expect(await ask(again, body("call_fedcba9876543210"))).toContain("200");
  });

  it.each(["null", "[]", '{"model":3}', '{"provider":"openai","model":"m","baseUrl":"http://x"}'])(
    "whose run.json is %s describes no run",
    (text) => {
      const { folder } = recording();
      makePrivateFolder(folder);
      replacePrivateFile(join(folder, "run.json"), text);
      expect(() => readRun(folder)).toThrow("no recorded run");
    },
  );

  it("that is damaged says which file, and one that cannot be written costs nothing but itself", async () => {
    const { folder, how } = recording();
    await ask(how, { want: "text" });
    writeFileSync(join(folder, "0002.json"), '{"request":');
    expect((await errorOf(ask(replayTraffic({ folder }), { want: "text" })))?.message).toMatch(
      /0002\.json cannot be played back/,
    );
    writeFileSync(join(root, "file"), "");
    const problems: unknown[] = [];
    const run = { program: "", provider: "", model: "", baseUrl: "", folders: here };
    const blocked = recordTraffic({
      post,
      folder: join(root, "file"),
      run,
      onTrouble: (problem) => problems.push(problem),
    });
    expect(await ask(blocked, { want: "text" })).toContain("200");
    expect(problems).toHaveLength(1);
    expect(exchangesIn(join(root, "none"))).toEqual([]);
  });

  it("keeps its cuts in order and at the end of the text, whatever was masked", () => {
    const texts = fc.array(
      fc.oneof(fc.constantFrom("ü🦊", "a", "word word", "日", " "), fc.constant(`x ${key}\n`), fc.constant("\n")),
      { maxLength: 9 },
    );
    fc.assert(
      fc.property(texts, fc.array(fc.nat(), { maxLength: 9 }), (pieces, places) => {
        const body = pieces.join("");
        const size = Buffer.byteLength(body);
        const cuts = [...places.map((place) => place % (size + 1)).toSorted((a, b) => a - b), size].map(
          (end) => [end, 0] as const,
        );
        const masked = maskedBody({ body, cuts }, (text) => text.replaceAll(key, "k"));
        expect(masked.body).toBe(body.replaceAll(key, "k"));
        const ends = masked.cuts.map(([end]) => end);
        expect(ends).toEqual(ends.toSorted((a, b) => a - b));
        expect(ends).toHaveLength(cuts.length);
        expect(ends.at(-1)).toBe(Buffer.byteLength(masked.body));
      }),
    );
  });
});

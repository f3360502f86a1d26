import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";
import { describe, expect } from "vitest";
import { call, type ScriptedModel, text } from "../../src/testing/index.ts";
import { examplesOf } from "../support/doc-example.ts";
import { builtCli } from "../support/repo-root.ts";
import { it, type World } from "../support/world.ts";

type Answer = (request: acp.RequestPermissionRequest) => string | Promise<never>;

/** As the page tells people to start it. */
const { args, command } = JSON.parse(examplesOf("docs/editors.md", "json")[0] ?? "{}").agent_servers.corecoder;

/** An editor on the other side, made of the protocol's own client. */
async function openEditor(world: World, model: ScriptedModel, answer: Answer = () => "no") {
  const child: ChildProcess = spawn(process.execPath, [builtCli, ...args, "-m", "gpt-4o"], {
    cwd: world.folder,
    env: {
      PATH: process.env.PATH,
      HOME: world.home,
      CORECODER_HOME: world.state,
      CORECODER_RETRY_BASE_MS: "10",
      OPENAI_API_KEY: world.key,
      OPENAI_BASE_URL: model.url,
    },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const updates: acp.SessionUpdate[] = [];
  const asked: acp.RequestPermissionRequest[] = [];
  let onUpdate = (_: acp.SessionUpdate) => {};
  const app = acp
    .client({ name: "editor" })
    .onRequest(acp.methods.client.session.requestPermission, async ({ params }) => {
      asked.push(params);
      return { outcome: { outcome: "selected", optionId: await answer(params) } };
    })
    .onNotification(acp.methods.client.session.update, ({ params }) => {
      updates.push(params.update);
      onUpdate(params.update);
    });
  const input = Writable.toWeb(child.stdin as Writable) as WritableStream<Uint8Array>;
  const output = Readable.toWeb(child.stdout as Readable) as ReadableStream<Uint8Array>;
  const connection = app.connect(acp.ndJsonStream(input, output));
  const { agent } = connection;
  const started = await agent.request("initialize", { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities: {} });
  const say = (sessionId: string, words: string) =>
    agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text: words }] });
  return {
    ...{ agent, started, updates, asked, child, exited, say },
    newSession: async () => agent.request("session/new", { cwd: world.cwd, mcpServers: [] }),
    onUpdate: (listener: typeof onUpdate) => void (onUpdate = listener),
    async leave() {
      connection.close();
      child.stdin?.end();
      return exited;
    },
  };
}

/** A process that has ended may still be waited for by its parent. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

const kinds = (updates: readonly acp.SessionUpdate[]) => updates.map(({ sessionUpdate }) => sessionUpdate);

describe("corecoder acp", () => {
  it("streams the answer, shows calls with their diffs, and asks the person through the editor", async ({ world }) => {
    world.write("a.txt", "one\ntwo\n");
    const model = await world.model([
      call("read_file", { file_path: "a.txt" }, { id: "c1" }),
      call("edit_file", { file_path: "a.txt", old_string: "two", new_string: "2" }, { id: "c2" }),
      text("Changed."),
    ]);
    const editor = await openEditor(world, model, () => "once");
    expect(command).toBe("corecoder");
    expect(editor.started).toMatchObject({
      agentInfo: { name: "corecoder" },
      agentCapabilities: { loadSession: true },
    });
    const { sessionId, modes } = await editor.newSession();
    expect(modes?.currentModeId).toBe("default");
    expect(await editor.say(sessionId, "change it")).toEqual({ stopReason: "end_turn" });
    expect(world.read("a.txt")).toBe("one\n2\n");
    expect(editor.asked).toMatchObject([{ sessionId, toolCall: { toolCallId: "c2", kind: "edit" } }]);
    expect(editor.asked[0]!.options.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(["allow_once", "allow_always", "reject_once"]),
    );
    const edited = editor.updates.findLast((update) => update.sessionUpdate === "tool_call_update");
    expect(edited).toMatchObject({
      toolCallId: "c2",
      status: "completed",
      content: [{ type: "diff", path: `${world.cwd}/a.txt`, oldText: "one\ntwo", newText: "one\n2" }],
    });
    expect(kinds(editor.updates)).toEqual(
      expect.arrayContaining(["tool_call", "tool_call_update", "agent_message_chunk", "usage_update"]),
    );
    expect(await editor.leave()).toBe(0);
  });

  it("does not do what the person refuses, and tells the model", async ({ world }) => {
    const model = await world.model([call("write_file", { file_path: "b.txt", content: "x" }), text("Then not.")]);
    const editor = await openEditor(world, model, () => "no");
    const { sessionId } = await editor.newSession();
    await editor.say(sessionId, "write it");
    expect(() => world.read("b.txt")).toThrow();
    expect(JSON.stringify(model.requests[1]!.conversation.at(-1))).toContain("the user said no");
    await editor.leave();
  });

  it("stops at once when the editor cancels, and goes on with the next prompt", async ({ world }) => {
    const model = await world.model([call("bash", { command: "sleep 1000" }), text("Rested.")]);
    const editor = await openEditor(world, model, () => "once");
    const { sessionId } = await editor.newSession();
    editor.onUpdate((update) => {
      if (update.sessionUpdate === "tool_call") void editor.agent.notify("session/cancel", { sessionId });
    });
    expect(await editor.say(sessionId, "wait")).toEqual({ stopReason: "cancelled" });
    expect(await editor.say(sessionId, "go on")).toEqual({ stopReason: "end_turn" });
    await editor.leave();
  });

  it("changes the permission mode when the editor does", async ({ world }) => {
    const model = await world.model([call("write_file", { file_path: "b.txt", content: "x" }), text("Written.")]);
    const editor = await openEditor(world, model);
    const { sessionId } = await editor.newSession();
    await editor.agent.request("session/set_mode", { sessionId, modeId: "acceptEdits" });
    await editor.say(sessionId, "write it");
    expect([world.read("b.txt"), editor.asked.length]).toEqual(["x", 0]);
    await expect(editor.agent.request("session/set_mode", { sessionId, modeId: "wild" })).rejects.toThrow(
      /no mode wild/,
    );
    await editor.leave();
  });

  it("lists saved sessions and takes one up again, telling it from its start", async ({ world }) => {
    const model = await world.model([text("First answer."), text("Second answer.")]);
    const before = await openEditor(world, model);
    const { sessionId } = await before.newSession();
    await before.say(sessionId, "first question");
    expect(await before.leave()).toBe(0);
    const editor = await openEditor(world, model);
    const { sessions } = await editor.agent.request("session/list", { cwd: world.cwd });
    expect(sessions).toMatchObject([{ sessionId, cwd: world.cwd, title: "first question" }]);
    await editor.agent.request("session/load", { sessionId, cwd: world.cwd, mcpServers: [] });
    expect(editor.updates).toMatchObject([
      { sessionUpdate: "user_message_chunk", content: { text: "first question" } },
      { sessionUpdate: "agent_message_chunk", content: { text: "First answer." } },
    ]);
    await editor.say(sessionId, "and then?");
    expect(model.requests[1]!.conversation.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
    await editor.leave();
  });

  it("ends with the editor, in the middle of a turn, and leaves no process behind", async ({ world }) => {
    const model = await world.model([call("bash", { command: "echo $$ | tee pid; sleep 1000" }), text("never")]);
    const editor = await openEditor(world, model, () => "once");
    const { sessionId } = await editor.newSession();
    const running = new Promise<void>((resolve) =>
      editor.onUpdate((update) => update.sessionUpdate === "tool_call_update" && resolve()),
    );
    const turn = editor.say(sessionId, "wait").catch(() => "gone");
    await running;
    expect(await editor.leave()).toBe(0);
    expect(await turn).toBe("gone");
    await expect.poll(() => isAlive(Number(world.read("pid")))).toBe(false);
  });

  it("says in words what is wrong with a request", async ({ world }) => {
    const model = await world.model([]);
    const editor = await openEditor(world, model);
    const { agent } = editor;
    await expect(agent.request("session/new", { cwd: "/no/such/folder", mcpServers: [] })).rejects.toThrow(/folder/);
    await expect(agent.request("session/new", { cwd: "relative", mcpServers: [] })).rejects.toThrow(/whole path/);
    await expect(editor.say("unknown", "x")).rejects.toThrow();
    await editor.leave();
  });
});

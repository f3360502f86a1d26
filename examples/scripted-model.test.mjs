// A test of an agent without a model: what it says is a script, what it does is real. Run with `node --test`.
import assert from "node:assert/strict";
import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createAgent } from "corecoder";
import { assertPairing, call, startScriptedModel, text } from "corecoder/testing";

test("the agent writes the file that the model asks for, and nothing outside its folder", async () => {
  const model = await startScriptedModel([
    call("write_file", { file_path: "note.txt", content: "hello\n" }),
    call("write_file", { file_path: "/etc/note.txt", content: "no\n" }),
    text("Done."),
  ]);
  const cwd = await mkdtemp(join(tmpdir(), "agent-"));
  const agent = createAgent({ model: "any", baseUrl: model.url, apiKey: "any", cwd, permissionMode: "acceptEdits" });
  for await (const event of agent.send("Write a note."))
    if (event.type === "turn.finished") assert.equal(event.totals.denials.length, 1);
  assert.equal(await readFile(join(cwd, "note.txt"), "utf8"), "hello\n");
  assert.equal(agent.lastText, "Done.");
  assertPairing(model.requests);
  await model.close();
});

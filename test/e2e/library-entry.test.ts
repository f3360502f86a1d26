import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { builtCli } from "../support/repo-root.ts";
import { it } from "../support/world.ts";

describe("the package as others import it", () => {
  it("corecoder/testing starts a scripted model that corecoder can talk to", async ({ world }) => {
    const entry = join(dirname(dirname(builtCli)), packageJson.exports["./testing"].default);
    const { startScriptedModel, text } = (await import(
      pathToFileURL(entry).href
    )) as typeof import("../../src/testing/index.ts");
    const model = await startScriptedModel([text("from the package")]);
    const result = await world.run(["-p", "hi"], { model });
    await model.close();
    expect(result).toMatchObject({ code: 0, stdout: "from the package\n" });
  });
});

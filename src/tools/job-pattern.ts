import { ToolError } from "../contracts/errors.ts";

const testMs = 200;

/** A regular expression of the model's, tried on pieces of output; one that takes too long is refused. */
export async function createPatternTest(pattern: string): Promise<(text: string) => boolean> {
  let expression: RegExp;
  try {
    expression = new RegExp(pattern, "m");
  } catch (error) {
    throw new ToolError(`pattern is no regular expression: ${(error as Error).message}`);
  }
  const { createContext, Script } = await import("node:vm");
  const sandbox = createContext({ expression, text: "" });
  const script = new Script("expression.test(text)");
  return (text) => {
    sandbox.text = text;
    try {
      return script.runInContext(sandbox, { timeout: testMs }) === true;
    } catch {
      throw new ToolError(`pattern took longer than ${testMs} ms on one piece of output. Use a simpler one.`);
    }
  };
}

import { withoutBackground } from "./sections/background.ts";

type Prefix = { readonly system: string; readonly tools: readonly { readonly name: string }[] };

/** What is different between the prefix a session was started with and the one it would get today, in words. Empty: nothing. */
export function prefixChanges(saved: Prefix, current: Prefix & { readonly instructions: string }): string[] {
  const changes: string[] = [];
  if (withoutBackground(saved.system) !== withoutBackground(current.system)) {
    const hadInstructions = saved.system.includes("<instructions file=");
    const isSame = current.instructions === "" ? !hadInstructions : saved.system.includes(current.instructions);
    changes.push(isSame ? "the system prompt" : "the project instructions");
  }
  const before = new Map(saved.tools.map((tool) => [tool.name, JSON.stringify(tool)]));
  const after = new Map(current.tools.map((tool) => [tool.name, JSON.stringify(tool)]));
  const tools = [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => before.get(name) !== after.get(name),
  );
  const isReordered = tools.length === 0 && [...before.keys()].join() !== [...after.keys()].join();
  if (isReordered) changes.push("the order of the tools");
  else if (tools.length > 0) changes.push(`the tool${tools.length === 1 ? "" : "s"} ${tools.join(", ")}`);
  return changes;
}

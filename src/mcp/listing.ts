import type { JsonSchema } from "../contracts/schema.ts";
import { cleanSchema } from "./clean-schema.ts";
import { cleanLine, cleanText } from "./clean-text.ts";

/** A tool as its server describes it, cleaned. */
export type ServerTool = {
  /** As the server knows it. */
  readonly name: string;
  readonly description: string;
  readonly schema: JsonSchema;
  /** The server says that it only reads. */
  readonly isReadOnly: boolean;
};

export type ServerPrompt = {
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly { readonly name: string; readonly isRequired: boolean }[];
};

/** What a server offers. */
export type Listing = {
  readonly tools: readonly ServerTool[];
  readonly prompts: readonly ServerPrompt[];
  readonly hasResources: boolean;
  readonly instructions: string;
};

const maxTools = 2_000;
const maxPrompts = 200;
const maxNameChars = 128;
const maxDescriptionChars = 2_000;

/** Tools without a usable name are left out; the others work. */
export function readTools(given: readonly unknown[]): readonly ServerTool[] {
  const tools = new Map<string, ServerTool>();
  for (const item of given.slice(0, maxTools)) {
    const { name, description, inputSchema, annotations } = fieldsOf(item);
    if (!isName(name)) continue;
    tools.set(name, {
      name,
      description: cleanText(description, maxDescriptionChars),
      schema: cleanSchema(inputSchema),
      isReadOnly: fieldsOf(annotations).readOnlyHint === true,
    });
  }
  return [...tools.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

export function readPrompts(given: readonly unknown[]): readonly ServerPrompt[] {
  return given.slice(0, maxPrompts).flatMap((item) => {
    const { name, description, arguments: wanted } = fieldsOf(item);
    if (!isName(name)) return [];
    const parameters = (Array.isArray(wanted) ? wanted : []).flatMap((parameter) => {
      const { name: key, required } = fieldsOf(parameter);
      return isName(key) ? [{ name: key, isRequired: required === true }] : [];
    });
    return [{ name, description: cleanLine(description, 200), arguments: parameters }];
  });
}

/** A name that would have to be cleaned is no name: the server would not know what was called. */
function isName(name: unknown): name is string {
  return (
    typeof name === "string" && name !== "" && name.length <= maxNameChars && cleanLine(name, maxNameChars) === name
  );
}

export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return value !== null && typeof value === "object" ? (value as Record<string, unknown>) : {};
}

import type { Agent } from "../agent/agent.ts";
import { exitCode, messageOf, UserError } from "../contracts/errors.ts";
import type { AgentEvent, TurnTotals } from "../contracts/event.ts";
import { schemaProblems } from "../contracts/json-schema.ts";
import { addUsage, type Part } from "../contracts/message.ts";
import type { JsonSchema } from "../contracts/schema.ts";
import { schemaDefects } from "../contracts/schema-defects.ts";
import { readJsonFile } from "../platform/read-json-file.ts";
import { runWithin } from "../platform/run-within.ts";

/** How often an answer that does not fit is sent back. */
const tries = 3;
/** For checking one answer: a pattern may backtrack without end. */
const checkMs = 2_000;

/** `--json-schema`: a file, or the schema itself. Throws UserError 42. */
export function readAnswerSchema(given: string): JsonSchema {
  const schema = given.trimStart().startsWith("{") ? parseGiven(given) : readJsonFile(given);
  if (schema === null || typeof schema !== "object" || Array.isArray(schema))
    throw new UserError(
      exitCode.usage,
      `--json-schema ${given}: a JSON Schema is an object, such as {"type": "object"}.`,
    );
  const defects = schemaDefects(schema as JsonSchema);
  if (defects.length > 0)
    throw new UserError(
      exitCode.usage,
      `--json-schema cannot be checked against: ${defects.slice(0, 3).join("; ")}. Mend it.`,
    );
  return schema as JsonSchema;
}

function parseGiven(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UserError(
      exitCode.usage,
      `--json-schema is not valid JSON: ${messageOf(error)}. Name a file, or mend it.`,
    );
  }
}

export function shapeInstruction(schema: JsonSchema): string {
  return `Your final answer must be a single JSON value that fits the JSON Schema below, and nothing else: no words around it, no code fence.\n${JSON.stringify(schema)}`;
}

export type StructuredAnswer = {
  /** The prompts it takes, as one: sums at the end are over all of them. */
  send(prompt: string | readonly Part[], signal: AbortSignal): AsyncGenerator<AgentEvent>;
  /** The value of the last answer that fitted. */
  value(): unknown;
};

/** An answer of a given shape: checked, and sent back with what is wrong until it fits or the tries are used up. */
export function createStructuredAnswer(agent: Agent, schema: JsonSchema): StructuredAnswer {
  let value: unknown;
  return {
    value: () => value,
    async *send(prompt, signal) {
      value = undefined;
      let next: string | readonly Part[] = prompt;
      let sum: TurnTotals | undefined;
      for (let attempt = 1; ; attempt++) {
        let last: Extract<AgentEvent, { type: "turn.finished" }> | undefined;
        for await (const event of agent.send(next, signal)) {
          if (event.type === "turn.finished") last = event;
          else yield event;
        }
        if (last === undefined) return;
        sum = added(sum, last.totals);
        const found = last.outcome.type === "done" ? await checked(agent.lastText, schema) : undefined;
        if (found?.fits) value = found.value;
        if (found === undefined || found.fits) {
          yield { ...last, totals: sum };
          return;
        }
        const problems = found.problems.join("; ");
        if (attempt < tries) {
          yield { type: "notice", text: `The answer does not fit the schema: ${problems}. Asking again.` };
          next = `[notice of the program: your answer does not fit the JSON Schema: ${problems}. Answer with the JSON value alone.]`;
          continue;
        }
        yield { type: "turn.finished", outcome: neverFits(problems), totals: sum };
        return;
      }
    },
  };
}

function neverFits(problems: string) {
  const error = new UserError(
    exitCode.failed,
    `The answer does not fit the schema after ${tries} tries: ${problems}.\nSimplify the schema, or say in the prompt how to fill it.`,
  );
  return { type: "failed", error } as const;
}

type Checked =
  | { readonly fits: true; readonly value: unknown }
  | { readonly fits: false; readonly problems: readonly string[] };

async function checked(text: string, schema: JsonSchema): Promise<Checked> {
  // a fence around it is forgiven: what is inside is unambiguous
  const bare = /^\s*```(?:json)?\s*\n([\s\S]*?)\n\s*```\s*$/.exec(text)?.[1] ?? text;
  let value: unknown;
  try {
    value = JSON.parse(bare);
  } catch (error) {
    return { fits: false, problems: [`it is not JSON (${messageOf(error)})`] };
  }
  const problems = await runWithin(checkMs, () => schemaProblems(value, schema));
  if (problems === "too long") return { fits: false, problems: ["a pattern of the schema takes too long to match it"] };
  return problems.length > 0 ? { fits: false, problems } : { fits: true, value };
}

function added(sum: TurnTotals | undefined, more: TurnTotals): TurnTotals {
  if (sum === undefined) return more;
  return {
    rounds: sum.rounds + more.rounds,
    usage: addUsage(sum.usage, more.usage),
    costUsd: sum.costUsd === null || more.costUsd === null ? null : sum.costUsd + more.costUsd,
    durationMs: sum.durationMs + more.durationMs,
    apiMs: sum.apiMs + more.apiMs,
    denials: [...sum.denials, ...more.denials],
  };
}

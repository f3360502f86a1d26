import { createClaudeDialect } from "./claude.ts";
import { createCodexDialect } from "./codex.ts";
import type { CreateDialect } from "./dialect.ts";
import { createGeminiDialect } from "./gemini.ts";
import { createOwnDialect } from "./own.ts";

/** Every dialect, one line each; `--dialect` names them. */
export const dialects = {
  corecoder: createOwnDialect,
  claude: createClaudeDialect,
  codex: createCodexDialect,
  gemini: createGeminiDialect,
} satisfies Record<string, CreateDialect>;

export type DialectName = keyof typeof dialects;

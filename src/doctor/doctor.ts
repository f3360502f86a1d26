import { showControl } from "../platform/terminal-text.ts";

/** Checks, one line each: what works, what does not, and what to do about it. */
export type Check = { readonly name: string; run(): Promise<Finding> | Finding };

export type Finding = { readonly state: "ok" | "warning" | "problem"; readonly text: string };

export type CheckResult = Finding & { readonly name: string };

export async function runChecks(checks: readonly Check[], onResult: (result: CheckResult) => void): Promise<boolean> {
  let healthy = true;
  for (const { name, run } of checks) {
    const finding = await Promise.resolve()
      .then(run)
      .catch(
        (error: unknown): Finding => ({
          state: "problem",
          text: error instanceof Error ? error.message : String(error),
        }),
      );
    if (finding.state === "problem") healthy = false;
    onResult({ name, ...finding });
  }
  return healthy;
}

const marks = { ok: "✓", warning: "!", problem: "✗" } as const;

export function checkLine({ name, state, text }: CheckResult): string {
  return `${marks[state]} ${name.padEnd(13)} ${showControl(text)}`;
}

/** Work that a stranger's text can make endless (a pattern, a page), ended after a time although it never waits. What it throws is thrown. */
export async function runWithin<T>(limitMs: number, work: () => T): Promise<T | "too long"> {
  const { Script } = await import("node:vm");
  try {
    return new Script("work()").runInNewContext({ work }, { timeout: limitMs }) as T;
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return "too long";
    throw error;
  }
}

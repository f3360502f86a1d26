import { readIfThere, replacePrivateFile } from "../platform/private-files.ts";

/** Rules a person answered "always" to, kept per project in the state folder: a repository cannot write there. */
export type ProjectRules = { read(): readonly string[]; add(rule: string): void };

export function createProjectRules(path: string): ProjectRules {
  const read = (): readonly string[] => {
    try {
      const value: unknown = JSON.parse(readIfThere(path) ?? "[]");
      return Array.isArray(value) ? value.filter((rule) => typeof rule === "string") : [];
    } catch {
      // an unreadable file allows nothing
      return [];
    }
  };
  return {
    read,
    add(rule) {
      const rules = read();
      if (rules.includes(rule)) return;
      try {
        replacePrivateFile(path, `${JSON.stringify([...rules, rule], null, 2)}\n`);
      } catch {
        // it still holds for this session
      }
    },
  };
}

import type { Environment } from "./load.ts";

/** The variables this process was started with, for those who are no program of their own but used by one. */
export function processEnvironment(): Environment {
  return process.env;
}

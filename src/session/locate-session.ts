import { UserError } from "../contracts/errors.ts";
import { findSession } from "./find-session.ts";
import { readSession } from "./read-session.ts";
import { indexWithoutPrices } from "./saved/session-index.ts";

/**
 * The log of a session: by its id, the beginning of it, the name it was given (of which the newest counts), or its
 * path below the state folder. Throws UserError 42.
 */
export function locateSession(wanted: string, stateFolder: string): string {
  if (wanted.endsWith(".jsonl")) return readSession(wanted, stateFolder).path;
  try {
    return findSession(wanted, stateFolder);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const named = indexWithoutPrices({ stateFolder }).sessions.find(({ name }) => name === wanted);
    if (named === undefined) throw error;
    return named.path;
  }
}

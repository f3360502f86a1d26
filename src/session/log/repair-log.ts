import { exitCode, messageOf, UserError } from "../../contracts/errors.ts";
import { copyPiecesBeside, type Piece, replaceByPieces } from "../../platform/copy-pieces.ts";
import { type LogDamage, scanLog } from "./read-log.ts";
import { acquireLock, type LockHolder } from "./session-lock.ts";

export type RepairResult =
  | { readonly type: "sound" }
  /** Somebody is writing to it: nothing was done. */
  | { readonly type: "held"; readonly by: LockHolder }
  /** `keptIn` is the file that holds what was taken out of the log. */
  | { readonly type: "repaired"; readonly damage: readonly LogDamage[]; readonly keptIn: string };

/**
 * Takes what is damaged out of a log and keeps it beside, in `<id>.damaged-<n>`, each piece below a line that says where it stood. Records
 * that are right stay as they are, byte for byte. Throws UserError when it cannot be done; the log is then as it was.
 */
export function repairLog(path: string): RepairResult {
  const lock = acquireLock(path);
  if (!lock.held) return { type: "held", by: lock.by };
  try {
    return repair(path);
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(
      exitCode.failed,
      `The session log ${path} could not be repaired: ${messageOf(error)}. It is as it was; free space or rights there and try again.`,
    );
  } finally {
    lock.release();
  }
}

function repair(path: string): RepairResult {
  const damage: LogDamage[] = [];
  const right: Piece[] = [];
  for (const found of scanLog(path)) {
    if ("entry" in found || found.type === "foreign") right.push({ offset: found.offset, bytes: found.bytes });
    else damage.push(found);
  }
  if (damage.length === 0) return { type: "sound" };
  const pieces = damage.map(({ offset, bytes, kind }) => ({
    offset,
    bytes,
    title: `${bytes} bytes from offset ${offset} (${kind})`,
  }));
  const keptIn = copyPiecesBeside(path, pieces, `${path.replace(/\.jsonl$/, "")}.damaged-`);
  replaceByPieces(path, right);
  return { type: "repaired", damage, keptIn };
}

import { ToolError } from "../../contracts/errors.ts";
import { errnoOf, FileFault, type FileFaultCode } from "../../platform/file-fault.ts";

/** What was tried, on which file, as the model knows it. */
export type FileAttempt = { readonly action: "read" | "write" | "edit"; readonly shown: string };

const faults: Record<FileFaultCode, (attempt: FileAttempt, subject: string) => string> = {
  outside: ({ shown }, real) =>
    `${shown} is outside the folders that may be written (it is ${real}); nothing was written. Choose a path inside the workspace, or ask the user to start with --add-dir for that folder.`,
  "folder-gone": ({ action, shown }, folder) =>
    `Cannot ${action} ${shown}: the folder ${folder} no longer exists. Use an absolute path, or cd to a folder that exists.`,
  "not-regular": ({ action, shown }, nature) =>
    `Cannot ${action} ${shown}: it is a ${nature}, not a regular file. Name a file.`,
  moved: ({ action, shown }) =>
    `Did not ${action} ${shown}: a folder or link on the way to it was changed at the same moment. Nothing was changed there; look at the path with read_file and try again.`,
  changed: ({ action, shown }) =>
    `Did not ${action} ${shown}: it changed on disk at the same moment. Nothing was overwritten; read it again with read_file, then repeat the call.`,
  "half-written": ({ shown }) =>
    `${shown} is damaged: writing it failed midway (the disk may be full) and the old content could not be put back. Read it again with read_file and tell the user; restore it from version control if needed.`,
  "read-only": ({ shown }, why) =>
    `${shown} is read-only (${why}); nothing was changed. If it really should change, make it writable first with bash: chmod u+w.`,
  "too-large": ({ action, shown }, size) =>
    `${shown} is too large to ${action} this way (${size}); nothing was changed. Use bash (sed, head, tail, split) instead.`,
};

const systemErrors: Record<string, string> = {
  ENOSPC: "no space left on the device (ENOSPC). Free some space, then try again",
  EDQUOT: "the disk quota is used up (EDQUOT). Free some space, then try again",
  EFBIG: "the file would be larger than allowed (EFBIG)",
  EIO: "the disk reported an error (EIO)",
  EROFS: "the file system is read-only (EROFS). Write somewhere else",
  EACCES: "permission denied (EACCES). Check owner and mode with bash: ls -l",
  EPERM: "operation not permitted (EPERM). Check owner and attributes with bash: ls -l",
  ELOOP: "its links lead in a circle (ELOOP). Name the real file",
  ENOTDIR: "a part of the path is a file, not a folder (ENOTDIR). Check the path",
  ENAMETOOLONG: "the name is too long (ENAMETOOLONG). Use a shorter one",
  EMFILE: "too many files are open (EMFILE). Try again",
};

/** The error as the model should read it; what is not about files comes back as it is. */
export function asToolError(error: unknown, attempt: FileAttempt): unknown {
  if (error instanceof FileFault) return new ToolError(faults[error.code](attempt, error.subject), { cause: error });
  const code = errnoOf(error);
  if (code !== undefined) {
    const reason = systemErrors[code] ?? (error as Error).message;
    const untouched = attempt.action === "read" ? "" : " Nothing was changed.";
    return new ToolError(`Could not ${attempt.action} ${attempt.shown}: ${reason}.${untouched}`, {
      cause: error,
    });
  }
  if ((error as { code?: unknown }).code === "ERR_INVALID_ARG_VALUE") {
    return new ToolError(`Could not ${attempt.action} a file: the path holds a NUL character. Send a plain path.`, {
      cause: error,
    });
  }
  return error;
}

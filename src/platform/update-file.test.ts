import { execFileSync } from "node:child_process";
import fs, {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { updateFile } from "./update-file.ts";

let root: string;
let path: string;

beforeEach(() => {
  root = makeTempFolder();
  path = join(root, "file.txt");
});
afterEach(() => removeTempFolder(root));

const put = (text: string) => () => Buffer.from(text);

type FsCall = "openSync" | "writeSync" | "fsyncSync" | "fchmodSync" | "fchownSync" | "renameSync" | "linkSync";
type AnyCall = (...values: unknown[]) => unknown;

/** Puts another function in the place of one of the system's while `work` runs. */
function replacing(call: FsCall, wrap: (original: AnyCall) => AnyCall, work: () => void): void {
  const original = fs[call] as AnyCall;
  Object.assign(fs, { [call]: wrap(original) });
  syncBuiltinESMExports();
  try {
    work();
  } finally {
    Object.assign(fs, { [call]: original });
    syncBuiltinESMExports();
  }
}

const systemError = (code: string, call: FsCall) =>
  Object.assign(new Error(`${code}: injected`), { code, syscall: call.replace("Sync", "") });

/** Makes one call fail, the first or the one after `after` others; opening folders and old files always works. */
function failing(
  call: FsCall,
  { code, after = 0 }: { readonly code: string; readonly after?: number },
  work: () => void,
): void {
  let calls = 0;
  const wrap =
    (original: AnyCall) =>
    (...values: unknown[]) => {
      const counts = call !== "openSync" || (Number(values[1]) & fs.constants.O_CREAT) !== 0;
      if (!counts || calls++ !== after) return original(...values);
      throw systemError(code, call);
    };
  replacing(call, wrap, work);
  expect(calls, `${call} was called`).toBeGreaterThan(after);
}

describe("updateFile", () => {
  it("creates a file with its folders and the usual mode", () => {
    const deep = join(root, "a/b/c.txt");
    expect(updateFile(deep, put("x\n")).outcome).toBe("created");
    expect(readFileSync(deep, "utf8")).toBe("x\n");
    expect(statSync(deep).mode & 0o777).toBe(0o666 & ~process.umask());
    expect(readdirSync(join(root, "a/b"))).toEqual(["c.txt"]);
  });

  it("replaces the content and keeps the mode", () => {
    writeFileSync(path, "old");
    chmodSync(path, 0o4751);
    expect(updateFile(path, put("new")).outcome).toBe("replaced");
    expect(readFileSync(path, "utf8")).toBe("new");
    expect(statSync(path).mode & 0o7777).toBe(0o4751);
    expect(readdirSync(root)).toEqual(["file.txt"]);
  });

  it.skipIf(process.getuid?.() !== 0)("keeps the owner (needs root)", () => {
    writeFileSync(path, "old");
    chownSync(path, 1234, 2345);
    updateFile(path, put("new"));
    expect(statSync(path)).toMatchObject({ uid: 1234, gid: 2345 });
  });

  it.skipIf(process.getuid?.() !== 0)("drops the set-user-id bit when the owner cannot be kept (needs root)", () => {
    writeFileSync(path, "old");
    chownSync(path, 1234, 2345);
    chmodSync(path, 0o6755);
    failing("fchownSync", { code: "EPERM" }, () => updateFile(path, put("new")));
    expect(statSync(path).mode & 0o7777).toBe(0o755);
  });

  it("shows the decision the file as it is, and leaves it alone when the decision is no", () => {
    writeFileSync(path, "old");
    const before = lstatSync(path, { bigint: true });
    expect(updateFile(path, (current) => (current?.stat.size === 3n ? undefined : Buffer.from("wrong"))).outcome).toBe(
      "unchanged",
    );
    expect(lstatSync(path, { bigint: true })).toMatchObject({ ino: before.ino, mtimeNs: before.mtimeNs });
  });

  it.each(["longer than before", "s"])("writes through to the other names of a hard-linked file (%s)", (text) => {
    writeFileSync(path, "before");
    linkSync(path, join(root, "other.txt"));
    updateFile(path, put(text));
    expect(readFileSync(join(root, "other.txt"), "utf8")).toBe(text);
    expect(statSync(path).ino).toBe(statSync(join(root, "other.txt")).ino);
  });

  it("refuses read-only files, folders and FIFOs", () => {
    writeFileSync(path, "old");
    chmodSync(path, 0o444);
    expect(() => updateFile(path, put("new"))).toThrow(expect.objectContaining({ code: "read-only" }));
    expect(() => updateFile(root, put("new"))).toThrow(
      expect.objectContaining({ code: "not-regular", subject: "folder" }),
    );
    execFileSync("mkfifo", [join(root, "pipe")]);
    expect(() => updateFile(join(root, "pipe"), put("new"))).toThrow(
      expect.objectContaining({ code: "not-regular", subject: "FIFO" }),
    );
    expect(readFileSync(path, "utf8")).toBe("old");
  });
});

describe("updateFile when the system fails", () => {
  const steps: readonly (readonly [FsCall, string])[] = [
    ["openSync", "ENOSPC"],
    ["writeSync", "ENOSPC"],
    ["fsyncSync", "EIO"],
    ["fchmodSync", "EPERM"],
    ["renameSync", "ENOSPC"],
  ];

  it.each(steps)("keeps the old file and leaves nothing behind: %s answers %s", (call, code) => {
    writeFileSync(path, "old content");
    failing(call, { code }, () => {
      expect(() => updateFile(path, put("new content"))).toThrow(expect.objectContaining({ code }));
    });
    expect(readFileSync(path, "utf8")).toBe("old content");
    expect(readdirSync(root)).toEqual(["file.txt"]);
  });

  it("removes the folders it made for a file that could not be written", () => {
    failing("writeSync", { code: "ENOSPC" }, () => {
      expect(() => updateFile(join(root, "a/b/c.txt"), put("x"))).toThrow(expect.objectContaining({ code: "ENOSPC" }));
    });
    expect(readdirSync(root)).toEqual([]);
  });

  it("creates a file also where hard links are not possible", () => {
    failing("linkSync", { code: "EPERM" }, () => expect(updateFile(path, put("x")).outcome).toBe("created"));
    expect(readFileSync(path, "utf8")).toBe("x");
    expect(readdirSync(root)).toEqual(["file.txt"]);
  });

  it("writes in place when the folder forbids new files but the file may be written", () => {
    writeFileSync(path, "old");
    const { ino } = statSync(path);
    failing("openSync", { code: "EACCES" }, () => expect(updateFile(path, put("new")).outcome).toBe("replaced"));
    expect(readFileSync(path, "utf8")).toBe("new");
    expect(statSync(path).ino).toBe(ino);
  });

  it.each([
    ["the part that grows", "old content and more", 0],
    ["the part that is overwritten", "OLD CONTENT and more", 1],
  ])("puts a hard-linked file back when the disk is full at %s", (_what, text, after) => {
    writeFileSync(path, "old content");
    linkSync(path, join(root, "other.txt"));
    failing("writeSync", { code: "ENOSPC", after }, () => {
      expect(() => updateFile(path, put(text))).toThrow(expect.objectContaining({ code: "ENOSPC" }));
    });
    expect(readFileSync(path, "utf8")).toBe("old content");
  });

  it("puts a hard-linked file back when the new content cannot be made safe", () => {
    writeFileSync(path, "old content");
    linkSync(path, join(root, "other.txt"));
    failing("fsyncSync", { code: "EIO" }, () => {
      expect(() => updateFile(path, put("new, and longer than before"))).toThrow(
        expect.objectContaining({ code: "EIO" }),
      );
    });
    expect(readFileSync(path, "utf8")).toBe("old content");
  });

  it("cuts a hard-linked file back when the disk is full after a part of the new bytes", () => {
    writeFileSync(path, "old");
    linkSync(path, join(root, "other.txt"));
    let calls = 0;
    const wrap = (original: AnyCall) => (fd: unknown, bytes: unknown, from: unknown, _length: unknown, at: unknown) => {
      if (calls++ > 0) throw systemError("ENOSPC", "writeSync");
      return original(fd, bytes, from, 4, at);
    };
    replacing("writeSync", wrap, () => {
      expect(() => updateFile(path, put("old and more"))).toThrow(expect.objectContaining({ code: "ENOSPC" }));
    });
    expect(readFileSync(path, "utf8")).toBe("old");
  });

  it("says that a hard-linked file is half-written when it cannot even be put back", () => {
    writeFileSync(path, "old content");
    linkSync(path, join(root, "other.txt"));
    failing("fsyncSync", { code: "EIO" }, () => {
      failing("writeSync", { code: "EIO", after: 1 }, () => {
        expect(() => updateFile(path, put("new content"))).toThrow(expect.objectContaining({ code: "half-written" }));
      });
    });
  });
});

describe("updateFile while somebody else works in the folder", () => {
  it("does not overwrite a file that changes between the decision and the write", () => {
    writeFileSync(path, "old");
    const decide = () => {
      writeFileSync(path, "somebody else's");
      return Buffer.from("new");
    };
    expect(() => updateFile(path, decide)).toThrow(expect.objectContaining({ code: "changed" }));
    expect(readFileSync(path, "utf8")).toBe("somebody else's");
    expect(readdirSync(root)).toEqual(["file.txt"]);
  });

  it("does not overwrite a file that appears between the decision and the write", () => {
    const decide = () => {
      writeFileSync(path, "somebody else's");
      return Buffer.from("new");
    };
    expect(() => updateFile(path, decide)).toThrow(expect.objectContaining({ code: "changed" }));
    expect(readFileSync(path, "utf8")).toBe("somebody else's");
  });

  it("never follows a link that takes the place of the file", () => {
    const outside = join(root, "outside.txt");
    writeFileSync(outside, "untouched");
    writeFileSync(path, "old");
    const decide = () => {
      renameSync(path, join(root, "moved.txt"));
      symlinkSync(outside, path);
      return Buffer.from("new");
    };
    expect(() => updateFile(path, decide)).toThrow(expect.objectContaining({ code: "changed" }));
    expect(readFileSync(outside, "utf8")).toBe("untouched");
  });

  it("never follows a link that takes the place of the folder", () => {
    const [folder, outside] = [join(root, "folder"), join(root, "outside")];
    mkdirSync(folder);
    mkdirSync(outside);
    const decide = () => {
      renameSync(folder, join(root, "moved"));
      symlinkSync(outside, folder);
      return Buffer.from("new");
    };
    expect(() => updateFile(join(folder, "file.txt"), decide)).toThrow(expect.objectContaining({ code: "moved" }));
    expect([readdirSync(outside), readdirSync(join(root, "moved"))]).toEqual([[], []]);
  });
});

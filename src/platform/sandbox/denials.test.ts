import { describe, expect, test } from "vitest";
import { denialsOf } from "./denials.ts";
import type { Confinement } from "./sandbox.ts";

const confinement: Confinement = {
  cwd: "/home/me/project",
  writable: ["/home/me/project"],
  fixed: ["/home/me/project/.git/hooks"],
  hidden: ["/home/me/.ssh", "/home/me/.corecoder", "/home/me/.netrc"],
  shown: ["/home/me/.corecoder/sessions/x"],
  network: "off",
  tmp: "/tmp/private",
};

const textOf = (printed: string, { command = "run", failed = true, more = {} } = {}) =>
  denialsOf({ command, printed, failed, home: "/home/me", confinement: { ...confinement, ...more } })
    .map(({ text }) => text)
    .join("; ");

describe("what a sandbox kept a command from", () => {
  test.each([
    ["touch: cannot touch '/etc/x y': Read-only file system", "/etc/x y"],
    ["bash: line 1: /home/me/x: Read-only file system", "/home/me/x"],
    ["sh: 1: cannot create ../x: Read-only file system", "../x"],
    ["OSError: [Errno 30] Read-only file system: '/root/a'", "/root/a"],
    ["Error: EROFS: read-only file system, open '/home/me/b'", "/home/me/b"],
  ])("a write is recognised in %j, with its path", (printed, path) => {
    expect(textOf(printed)).toBe(`writing ${path} was refused; it may write in /home/me/project, /tmp (private)`);
  });

  test("a write to what others run says so", () => {
    expect(textOf("sh: 1: cannot create .git/hooks/pre-commit: Read-only file system")).toMatch(/run or trust/);
  });

  test.each([
    "curl: (6) Could not resolve host: example.com",
    "socket.gaierror: [Errno -3] Temporary failure in name resolution",
    "connect ECONNREFUSED 127.0.0.1:5432",
    "npm error code EAI_AGAIN",
    "bash: connect: Network is unreachable",
    "fatal: unable to access 'https://x/': Could not resolve host: x",
  ])("a connection is recognised in %j", (printed) => {
    expect(textOf(printed)).toMatch(/no network/);
    expect(textOf(printed, { failed: false })).toBe("");
    expect(textOf(printed, { more: { network: "on" } })).toBe("");
  });

  test.each(["FileNotFoundError: no such file", "3 tests failed", "", "command not found", "Permission denied"])(
    "%j is the command's own failure",
    (printed) => expect(textOf(printed)).toBe(""),
  );

  test.each(["cat ~/.ssh/id_rsa", 'ls "$HOME/.ssh"', "cat $" + "{HOME}/.ssh/config", "ls /home/me/.ssh"])(
    "a look at a hidden place is recognised in %s, also when nothing failed",
    (command) => expect(textOf("", { command, failed: false })).toBe("/home/me/.ssh is hidden from commands"),
  );

  test("a place with a similar name, or one that is shown, is not hidden", () => {
    expect(textOf("", { command: "cat ~/.sshrc ~/.netrc-example" })).toBe("");
    expect(textOf("", { command: "cat /home/me/.corecoder/sessions/x/7-output.txt" })).toBe("");
  });

  test("a hidden place stays hidden in a folder that is shown", () => {
    const more = { shown: ["/home/me"] };
    expect(textOf("", { command: "ls ~/.ssh", more })).toMatch(/\.ssh is hidden/);
  });

  test.each(["dd: error writing '/tmp/x': File too large", "File size limit exceeded (core dumped)"])(
    "a file that grew too large is recognised in %j",
    (printed) => expect(textOf(printed)).toMatch(/larger than 1 GB/),
  );
});

import { describe, expect, test } from "vitest";
import { asksForInput, lastLine } from "./shell-waiting.ts";

describe("words at the end of an output", () => {
  test.each([
    "Do you want to continue? [Y/n] ",
    "Ok to proceed? (y) ",
    "Are you sure you want to continue connecting (yes/no/[fingerprint])? ",
    "Password: ",
    "[sudo] password for me: ",
    "Enter passphrase for key '/home/me/.ssh/id': ",
    "Username for 'https://example.com': ",
    "Press any key to continue...",
    "rm: remove write-protected regular file 'a'? ",
    "first line\nOverwrite a? ",
  ])("%j asks", (text) => expect(asksForInput(text)).toBe(true));

  test.each([
    "Building ",
    "....",
    "Continue? [y/N]\n",
    "downloading 40%",
    "Checking connectivity: ",
    "password: hunter2\nworking",
    "",
  ])("%j does not", (text) => expect(asksForInput(text)).toBe(false));

  test("only an unfinished line counts", () => {
    expect([lastLine("a\nb"), lastLine("a\n"), lastLine("a")]).toEqual(["b", "", "a"]);
  });
});

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { makeScratchFolder } from "./scratch-folder.ts";

export type EditedElsewhere = { readonly text: string } | { readonly problem: string };

/** A text in the person's own editor, which has the terminal until it ends. `command` may carry options, as `code --wait` does. */
export async function editInProgram(
  command: string,
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<EditedElsewhere> {
  const folder = makeScratchFolder("corecoder-", { "prompt.md": text });
  const file = `${folder.path}/prompt.md`;
  try {
    const code = await new Promise<number | string>((resolve) => {
      const child = spawn("/bin/sh", ["-c", `${command} "$1"`, "sh", file], { stdio: "inherit", env: environment });
      child.once("error", (error) => resolve(error.message));
      child.once("exit", (status, signal) => resolve(status ?? signal ?? 1));
    });
    if (code !== 0)
      return {
        problem: `The editor (${command}) ended with ${code}; the text is as it was. Set VISUAL or EDITOR to another one.`,
      };
    return { text: readFileSync(file, "utf8").replace(/\n$/, "") };
  } finally {
    folder.remove();
  }
}

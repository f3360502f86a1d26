import { execFile } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram } from "./find-program.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Programs that give out what the clipboard holds as a picture, and the variable of the display that each needs. */
const readers = [
  { program: "wl-paste", args: ["--no-newline", "--type", "image/png"], needs: "WAYLAND_DISPLAY" },
  { program: "xclip", args: ["-selection", "clipboard", "-target", "image/png", "-out"], needs: "DISPLAY" },
  { program: "pngpaste", args: ["-"], needs: undefined },
] as const;

const limitBytes = 20 * 1024 * 1024;
const limitMs = 3_000;

let saved = 0;

/** The picture in the clipboard as a file of its own, which lasts as long as temporary files do. */
export async function saveClipboardPicture(
  environment: Environment,
): Promise<{ readonly path: string } | { readonly problem: string }> {
  const usable = readers.flatMap(({ program, args, needs }) => {
    const path = needs === undefined || environment[needs] ? findProgram(program, environment.PATH) : undefined;
    return path === undefined ? [] : [{ path, args }];
  });
  if (usable.length === 0)
    return {
      problem: "No program here reads pictures (wl-paste, xclip, pngpaste): write the picture's path",
    };
  for (const { path, args } of usable) {
    const picture = await outputOf(path, args, environment);
    if (picture.length === 0) continue;
    const file = join(mkdtempSync(join(tmpdir(), "corecoder-picture-")), `clipboard-${++saved}.png`);
    writeFileSync(file, picture, { mode: 0o600 });
    return { path: file };
  }
  return { problem: "The clipboard holds no picture" };
}

/** Empty when it fails: there is no picture. */
function outputOf(file: string, args: readonly string[], environment: Environment): Promise<Buffer> {
  const options = { encoding: "buffer", timeout: limitMs, maxBuffer: limitBytes, env: displayOf(environment) } as const;
  return new Promise((resolve) => {
    execFile(file, [...args], options, (error, stdout) => resolve(error ? Buffer.alloc(0) : stdout));
  });
}

/** What a program needs to find the display; nothing that holds keys. */
function displayOf(environment: Environment): Environment {
  const names = ["PATH", "HOME", "DISPLAY", "XAUTHORITY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR"];
  return Object.fromEntries(names.map((name) => [name, environment[name]]));
}

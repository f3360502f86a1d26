import { resolve } from "node:path";
import type { RunOptions } from "../config/arguments.ts";
import type { Found, Layer } from "../config/layers.ts";
import { exitCode, messageOf, UserError } from "../contracts/errors.ts";
import type { RecordedRun } from "../providers/traffic/exchange.ts";

/** With --replay: vendor, model and address are those of the recording, unless others are given. Throws UserError 42 when there is none. */
export async function withRecordedModel(
  options: Layer,
  { replay }: Pick<RunOptions, "replay">,
  cwd: string,
): Promise<Layer> {
  if (replay === undefined) return options;
  const run = await readRecording(resolve(cwd, replay));
  const isGiven = (["model", "provider", "baseUrl"] as const).some((key) => options.has(key));
  if (run === undefined || isGiven) return options;
  const origin = { layer: "option", name: "--replay" } as const;
  const { model, provider, baseUrl } = run;
  return new Map<string, Found>([
    ...options,
    ["model", { value: model, origin }],
    ["provider", { value: provider, origin }],
    ["baseUrl", { value: baseUrl, origin }],
  ]);
}

async function readRecording(folder: string): Promise<RecordedRun | undefined> {
  const { exchangesIn, readRun } = await import("../providers/traffic/exchange.ts");
  if (exchangesIn(folder).length === 0)
    throw new UserError(
      exitCode.usage,
      `${folder} (--replay) holds no recording. \`corecoder --record DIR -p …\` makes one.`,
    );
  try {
    return readRun(folder);
  } catch (error) {
    throw new UserError(
      exitCode.usage,
      `${folder}/run.json cannot be read: ${messageOf(error)}. Record it anew, or remove that file and name --model and --base-url.`,
    );
  }
}

import { loadSettings } from "../config/load.ts";
import { type ExitCode, exitCode } from "../contracts/errors.ts";
import { checksFor } from "../doctor/checks.ts";
import { checkLine, runChecks } from "../doctor/doctor.ts";
import { findProgram } from "../platform/find-program.ts";
import { replacePrivateFile } from "../platform/private-files.ts";
import { findRipgrep } from "../platform/ripgrep.ts";
import { connect } from "../providers/connect.ts";
import { createPost } from "../providers/http-stream.ts";
import { createEndpointLessons } from "../session/endpoint-memory.ts";
import { openProxies } from "./network.ts";
import { resolveChoice, resolveModel } from "./resolve-model.ts";
import type { SubcommandContext } from "./subcommand.ts";

export async function runDoctor({ parsed, cwd, environment, output }: SubcommandContext): Promise<ExitCode> {
  const options = { cwd, environment, options: parsed.settings };
  const loaded = loadSettings(options);
  for (const warning of loaded.warnings) output.err(`${warning}\n`);
  const { settings, stateFolder } = loaded;
  const resolved = resolveModel(loaded, options);
  const choice = resolved?.choice ?? resolveChoice(loaded, options);
  const keyOrigin = resolved?.apiKey ? resolved.loaded.origins.get("apiKey")?.name : undefined;
  const proxies = await openProxies(resolved?.loaded ?? loaded);
  const checks = checksFor({
    keyOrigin,
    needsKey: choice.vendor.needsKey,
    vendor: choice.vendor.name,
    model: choice.model,
    provider: connect({
      choice,
      apiKey: resolved?.apiKey ?? "",
      idleTimeoutMs: settings.streamIdleTimeoutMs ?? 120_000,
      memory: createEndpointLessons(`${stateFolder}/endpoints.json`),
      ...(proxies ? { post: createPost(proxies) } : {}),
    }),
    ripgrep: findRipgrep(),
    bash: findProgram("bash", environment.PATH ?? ""),
    stateFolder,
    probeStateFolder: () => replacePrivateFile(`${stateFolder}/.doctor`, ""),
    terminal: { isTty: process.stdout.isTTY === true, columns: process.stdout.columns, color: output.color },
    nodeVersion: process.version,
  });
  const healthy = await runChecks(checks, (result) =>
    output.out(parsed.run.json ? `${JSON.stringify(result)}\n` : `${checkLine(result)}\n`),
  );
  return healthy ? exitCode.done : exitCode.failed;
}

import { homedir } from "node:os";
import { createApp } from "../app.ts";
import { loadSettings } from "../config/load.ts";
import { type ExitCode, exitCode } from "../contracts/errors.ts";
import type { AgentEvent, TurnOutcome } from "../contracts/event.ts";
import { runDemo } from "../demo/demo.ts";
import { createGit } from "../platform/git.ts";
import { killAllGroups } from "../platform/process-group.ts";
import { makeScratchFolder } from "../platform/scratch-folder.ts";
import { chooseVendor } from "../providers/choose-vendor.ts";
import { createPrinter } from "../ui/print.ts";
import { version } from "../version.ts";
import { environmentForChildren } from "./mode-context.ts";
import type { SubcommandContext } from "./subcommand.ts";

export async function runDemoMode({ environment, output }: SubcommandContext): Promise<ExitCode> {
  const state = makeScratchFolder("corecoder-demo-state-", {});
  const children = environmentForChildren(environment, "");
  // The person's own settings have no say in a demo.
  const { settings } = loadSettings({
    cwd: state.path,
    environment: { CORECODER_HOME: state.path },
    options: new Map(),
  });
  try {
    const mended = await runDemo({
      gapMs: process.stdout.isTTY ? 25 : 0,
      print: (text) => output.out(text),
      gitIn: (cwd) => createGit(cwd, children),
      async runAgent({ cwd, baseUrl, allow, prompt }) {
        const app = createApp({
          settings: { ...settings, allowedTools: allow },
          choice: chooseVendor({ provider: "openai", model: "scripted-demo", baseUrl, keyVariable: undefined }),
          apiKey: "demo",
          stateFolder: state.path,
          cwd,
          home: homedir(),
          version,
          childEnvironment: children,
          permissionMode: "acceptEdits",
          wantsPrices: false,
          onNotice: (text) => output.err(`${text}\n`),
        });
        // one stream, so that a recording of the demo reads in the order things happened
        const print = createPrinter({ ...output, err: output.out, oneScreen: true });
        const events: AgentEvent[] = [];
        let outcome: TurnOutcome = { type: "interrupted" };
        for await (const event of app.agent.send(prompt)) {
          print(event);
          events.push(event);
          if (event.type === "turn.finished") outcome = event.outcome;
        }
        await app.close();
        return { outcome, events };
      },
    });
    return mended ? exitCode.done : exitCode.failed;
  } finally {
    killAllGroups();
    state.remove();
  }
}

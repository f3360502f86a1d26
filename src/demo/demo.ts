import type { AgentEvent, TurnOutcome } from "../contracts/event.ts";
import { type Git, gitDiff } from "../platform/git.ts";
import { makeScratchFolder } from "../platform/scratch-folder.ts";
import { startScriptedModel } from "../testing/index.ts";
import { demoScript } from "./demo-script.ts";
import { demoPrompt, demoRule, scratchProject } from "./scratch-project.ts";

export type DemoHost = {
  /** The real agent, pointed at this folder and address; its events are shown as in any other run. */
  runAgent(options: {
    cwd: string;
    baseUrl: string;
    allow: readonly string[];
    prompt: string;
  }): Promise<{ outcome: TurnOutcome; events: readonly AgentEvent[] }>;
  gitIn(cwd: string): Git;
  print(text: string): void;
  /** Milliseconds between words, so that a person can follow. */
  readonly gapMs: number;
};

/** The whole loop on a scratch repository. True when the repository is really mended. */
export async function runDemo({ runAgent, gitIn, print, gapMs }: DemoHost): Promise<boolean> {
  print(
    "Demo: the model's part is played from a script inside this package. The loop, the tools and the wire are real; no key, no network.\n",
  );
  const scratch = makeScratchFolder("corecoder-demo-", scratchProject);
  const model = await startScriptedModel(demoScript(gapMs));
  try {
    const git = gitIn(scratch.path);
    const identity = ["-c", "user.name=demo", "-c", "user.email=demo@example.invalid"];
    await git(["init", "--quiet"]);
    await git(["add", "."]);
    await git([...identity, "commit", "--quiet", "-m", "a broken import"]);
    print(`A scratch repository with a broken import: ${scratch.path}\n\n> ${demoPrompt}\n\n`);
    const { outcome, events } = await runAgent({
      cwd: scratch.path,
      baseUrl: model.url,
      allow: [demoRule],
      prompt: demoPrompt,
    });
    const diff = await gitDiff(git, []);
    if (diff) print(`\nWhat changed:\n\n${diff}\n`);
    const checks = events.filter((event) => event.type === "tool.finished" && event.view.command === "node check.js");
    const last = checks.at(-1);
    const mended = outcome.type === "done" && last?.type === "tool.finished" && !last.isError;
    print(
      mended
        ? "The check failed before and passes now. With a key of your own: corecoder --help\n"
        : "The demo did not mend its repository; please report this.\n",
    );
    return mended;
  } finally {
    await model.close();
    scratch.remove();
  }
}

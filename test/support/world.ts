import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "vitest";
import {
  type Script,
  type ScriptedModel,
  type ScriptedModelOptions,
  startScriptedModel,
} from "../../src/testing/index.ts";
import { openTerminal, type Terminal } from "./pty.ts";
import { type CliResult, type RunningCli, startCli } from "./run-cli.ts";
import { makeTempFolder, removeTempFolder } from "./temp.ts";

export type RunOptions = {
  /** The program talks to this model: key and base URL are set in its environment. */
  readonly model?: ScriptedModel;
  /** Added to the environment; undefined removes. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly stdin?: string | Uint8Array | "open";
  readonly cwd?: string;
  readonly timeoutMs?: number;
};

/** A person's machine in a temporary folder: a home, a project, a state folder, and models that follow scripts. */
export type World = {
  /** The folder that holds everything below. */
  readonly folder: string;
  readonly home: string;
  /** The project; inside the home folder. */
  readonly cwd: string;
  /** CORECODER_HOME. */
  readonly state: string;
  readonly key: string;
  model(script: Script, options?: ScriptedModelOptions): Promise<ScriptedModel>;
  /** Runs the program to its end. */
  run(args: readonly string[], options?: RunOptions): Promise<CliResult>;
  /** Starts the program; ended with the test at the latest. */
  start(args: readonly string[], options?: RunOptions): RunningCli;
  /** Runs the program in a pseudo-terminal. */
  terminal(args: readonly string[], options?: RunOptions): Terminal;
  /** Writes a file below the project and answers with its path. */
  write(path: string, content: string | Uint8Array): string;
  read(path: string): string;
};

/** Looks like a real key, so that masking by shape is tested too. */
const testKey = "sk-test-4f9a1c7e2b8d4f9a1c7e2b8d-s3cr3t";

function createWorld(): World & { report(): string; dispose(): Promise<void> } {
  const folder = makeTempFolder();
  const home = join(folder, "home");
  const cwd = join(home, "project");
  const state = join(folder, "state");
  mkdirSync(cwd, { recursive: true });
  mkdirSync(join(folder, "tmp"));
  const models: ScriptedModel[] = [];
  const running: { dispose(): void }[] = [];
  const outputs: string[] = [];

  function environment({ model, env }: RunOptions): Record<string, string | undefined> {
    return {
      PATH: process.env.PATH,
      HOME: home,
      TMPDIR: join(folder, "tmp"),
      LANG: "C.UTF-8",
      CORECODER_HOME: state,
      CORECODER_RETRY_BASE_MS: "10",
      ...(model === undefined ? {} : { OPENAI_API_KEY: testKey, OPENAI_BASE_URL: model.url }),
      ...env,
    };
  }

  function keep<T extends { dispose(): void }>(thing: T): T {
    running.push(thing);
    return thing;
  }

  function start(args: readonly string[], options: RunOptions = {}): RunningCli {
    const { stdin, timeoutMs } = options;
    const cli = startCli(args, {
      cwd: options.cwd ?? cwd,
      env: environment(options),
      ...(stdin === undefined ? {} : { stdin }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    });
    cli.result.then(
      ({ code, stdout, stderr }) =>
        outputs.push(`  exit ${code}\n  stdout: ${stdout.slice(-2000)}\n  stderr: ${stderr.slice(-2000)}`),
      () => {},
    );
    return keep(cli);
  }

  return {
    ...{ folder, home, cwd, state, key: testKey, start },
    async model(script, options) {
      const model = await startScriptedModel(script, options);
      models.push(model);
      return model;
    },
    run: (args, options) => start(args, options).result,
    terminal: (args, options = {}) => keep(openTerminal(args, { cwd: options.cwd ?? cwd, env: environment(options) })),
    write(path, content) {
      const target = join(cwd, path);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, content);
      return target;
    },
    read: (path) => readFileSync(join(cwd, path), "utf8"),
    report: () =>
      [...outputs, ...models.map(({ requests }) => `  ${requests.length} requests to the model`)].join("\n"),
    async dispose() {
      for (const thing of running) thing.dispose();
      await Promise.all(models.map((model) => model.close()));
      removeTempFolder(folder);
    },
  };
}

/** A test with a machine of its own. */
export const it = test.extend<{ world: World }>({
  world: async ({ task }, use) => {
    const world = createWorld();
    await use(world);
    if (task.result?.state === "fail") console.error(`${task.name}\n${world.report()}`);
    await world.dispose();
  },
});

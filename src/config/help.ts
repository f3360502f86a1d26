import { runOptions } from "./arguments.ts";
import { type Setting, settingsTable } from "./settings-table.ts";

const usage = `corecoder: tell it what you want; it reads, edits and runs code in this folder until it is done.

Usage
  corecoder                       talk to the agent in this folder
  corecoder -p TEXT               answer one prompt: the answer on stdout, everything else on stderr
  echo TEXT | corecoder -p        the same, prompt from standard input
  corecoder demo                  see the whole loop, offline, on a scratch repository
  corecoder config                effective settings and where each comes from
  corecoder config import [FILE]  take over hooks and permissions from .claude/settings.json
  corecoder trust                 look at what this project's settings want, and allow it (--show, --revoke)
  corecoder mcp list              servers of tools; add NAME -- COMMAND, remove, test, login, logout
  corecoder acp                   the agent inside an editor (Agent Client Protocol)
  corecoder doctor                check key, endpoint, model, tools, terminal, state folder
  corecoder models [QUERY]        what models take, can do and cost
  corecoder context show ID       what filled the window at the end of a saved session
  corecoder context compare ID|FILE…
                                  what a session would have cost, and forgotten, under each context policy
  corecoder sessions list         saved sessions of this folder (--all: of all folders)
  corecoder sessions show ID      read one again; search QUERY finds one, export ID -o FILE.html makes a page of it
  corecoder sessions doctor       look for damaged logs (--repair); prune deletes by your limits, and only then
  corecoder stats                 tokens, cache hits, cost and time by day, model, folder and session
  corecoder permissions explain   judge shell commands from standard input, one JSON line each
`;

const footer = `
Keys are read from CORECODER_API_KEY, OPENAI_API_KEY, DEEPSEEK_API_KEY, then the vendor's own variable, also from a .env file.
Without any key, servers of models on this machine are looked for: Ollama, LM Studio, llama.cpp, vLLM.
Settings: option > environment > .env > .corecoder/settings.local.json > .corecoder/settings.json > ~/.corecoder/settings.json.
Exit codes: 0 done, 1 failed, 41 key, 42 usage, 52 configuration, 53 round limit, 55 budget, 56 context, 130 interrupted, 143 terminated.
`;

/** The help page, made from the tables that also parse the command line. */
export function helpPage(): string {
  const settings = (settingsTable as readonly Setting[])
    .filter((setting) => setting.option)
    .map((setting) =>
      row(
        setting.short,
        `--${setting.option}${setting.value ? ` ${setting.value}` : ""}`,
        setting.help + variables(setting),
      ),
    );
  const run = runOptions.map((option) =>
    row(option.short, `--${option.name}${option.value ? ` ${option.value}` : ""}`, option.help ?? ""),
  );
  return `${usage}\nOptions\n${[...run.slice(0, -2), ...settings, ...run.slice(-2)].join("\n")}\n${footer}`;
}

function variables({ variables: names = [] }: Setting): string {
  return names.length > 0 ? ` [${names.join(", ")}]` : "";
}

function row(short: string | undefined, long: string, help: string): string {
  return `  ${short ? `-${short},` : "   "} ${long.padEnd(32)} ${help}`;
}

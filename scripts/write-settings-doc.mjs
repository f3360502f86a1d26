// Writes docs/settings.md from the tables that parse the command line. `--check` only says whether the file is up to date.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const target = join(root, "docs/settings.md");

/** The tables are TypeScript: bundled in memory, then loaded. */
async function loadTables() {
  const { outputFiles } = await build({
    absWorkingDir: root,
    stdin: {
      contents: `export { settingsTable } from "./src/config/settings-table.ts";
        export { runOptions } from "./src/config/arguments.ts";
        export { vendors } from "./src/providers/vendors.ts";`,
      resolveDir: root,
    },
    bundle: true,
    platform: "node",
    format: "esm",
    write: false,
  });
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
}

const code = (text) => `\`${text}\``;
const codes = (texts) => texts.map(code).join(", ");
const row = (...cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|").trim()).join(" | ")} |`;
const table = (head, rows) => [row(...head), row(...head.map(() => "---")), ...rows].join("\n");

function optionOf({ option, name = option, short, aliases = [], value }) {
  if (name === undefined) return "";
  const long = `--${name}${value ? ` ${value}` : ""}`;
  return codes([...(short ? [`-${short}`] : []), long, ...aliases.map((alias) => `--${alias}`)]);
}

function valuesOf({ kind, min, max }) {
  if (typeof kind === "object") return codes(kind.oneOf);
  const limits = [min === undefined ? "" : `from ${min}`, max === undefined ? "" : `to ${max}`].filter(Boolean);
  return [
    {
      string: "text",
      integer: "whole number",
      list: "list of texts",
      rules: "lists of rules",
      hooks: "hooks by event",
      models: "models by name",
      providers: "vendors by name",
      servers: "servers by name",
    }[kind] ?? kind,
    ...limits,
  ].join(" ");
}

/** The help text carries the default where it is no plain value. */
function defaultOf({ help, fallback }) {
  return fallback !== undefined ? code(fallback) : (/\(default:? ([^)]*)\)/.exec(help)?.[1] ?? "unset");
}

const withoutDefault = (help) => help.replace(/ ?\(default:? [^)]*\)/, "");
const projectRule = {
  "with-key": "only with the key",
  never: "no",
  tightening: "`ask` and `deny`",
  unpriced: "all but prices",
  undefined: "yes",
};

function settingRow(setting) {
  const { key, variables = [], help, fromProject } = setting;
  return row(
    code(key),
    optionOf(setting),
    codes(variables),
    valuesOf(setting),
    defaultOf(setting),
    projectRule[fromProject],
    withoutDefault(help),
  );
}

function vendorRow({ name, baseUrl, protocol, keyVariables, models, defaultModel }) {
  return row(
    code(name),
    code(baseUrl),
    protocol ?? "openai-chat",
    codes(keyVariables) || "none needed",
    models ? code(models.source) : "",
    defaultModel ? code(defaultModel) : "",
  );
}

function page({ settingsTable, runOptions, vendors }) {
  const settingHead = ["key", "option", "variable", "value", "default", "from a project's files?", "what it does"];
  const vendorHead = ["name", "address", "wire", "key", "model names", "default model"];
  return `<!-- Written by scripts/write-settings-doc.mjs from the tables in src/. Do not edit. -->
# Settings

\`corecoder config\` prints every setting with its value and where the value comes from. The first place that holds a setting wins:

1. the option on the command line
2. the environment variable
3. the same variable in the nearest \`.env\`, from the current folder upwards to the home folder
4. \`.corecoder/settings.local.json\` in the current folder
5. \`.corecoder/settings.json\` in the current folder
6. \`~/.corecoder/settings.json\`
7. the default

Lists are joined over all places. Settings files hold one JSON object with the keys below, for example
\`{ "model": "deepseek-chat", "maxRounds": 50 }\`. An unknown key or a bad value ends with exit code 52 and names the file and the key; a bad
option ends with exit code 42.

**A project's files never decide where a key is sent.** From a project's \`.env\` or settings files, \`provider\` and \`baseUrl\` count only when
the key comes from the same file. A \`model\` of another vendor does not count when your key would fit any vendor. What
loosens permissions never counts from there, and neither do hooks. All of these are passed over with a one-line warning until you trust the
folder: \`corecoder trust\` shows what it wants and remembers your word for exactly these files (the interactive mode asks at the start). The
folders listed under \`trustedFolders\` in \`~/.corecoder/settings.json\` are trusted whatever their files say. A \`.env\` in the home folder
itself is yours, not a project's.

## Every setting

${table(settingHead, settingsTable.map(settingRow))}

Without \`permissionMode\`, the interactive mode runs in \`default\`, and \`-p\` in \`auto\` where a sandbox works, else in \`acceptEdits\`. Without \`maxContext\` the
window is what is known of the model, what its server tells, or 128,000 tokens.

## Options for one run

${table(
  ["option", "what it does"],
  runOptions.map((option) => row(optionOf(option), option.help ?? "")),
)}

\`--resume\`, \`--continue\` and \`--fork-session\` are reserved: sessions are saved, but this version ends with exit code 42 when asked to take
one up again.

## Vendors

\`--provider NAME\` picks a row. Without it, the model's name does (\`NAME/model\`, or a name that matches the pattern), then the variable the key was found in, else
\`openai\`. The key is looked for in \`CORECODER_API_KEY\`, \`OPENAI_API_KEY\`, \`DEEPSEEK_API_KEY\`, then in the vendor's own variable; a vendor's key is
never sent to another vendor's address, only to its own or to one you gave with \`--base-url\`.

${table(vendorHead, vendors.map(vendorRow))}

## Other variables

${table(
  ["variable", "what it does"],
  [
    row(code("CORECODER_HOME"), "moves the state folder (sessions, history, user settings); default `~/.corecoder`"),
    row(code("NO_COLOR"), "no colours, whatever the terminal"),
    row(code("FORCE_COLOR"), "colours also without a terminal; `0` for none"),
  ],
)}
`;
}

const text = page(await loadTables());
if (!process.argv.includes("--check")) writeFileSync(target, text);
else if (readFileSync(target, "utf8") !== text) {
  console.error("docs/settings.md is stale. Run: node scripts/write-settings-doc.mjs");
  process.exitCode = 1;
}

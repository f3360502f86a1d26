import { call, calls, type Reply, text } from "../testing/index.ts";

/** The model's part. Everything the agent does with it is real. */
export function demoScript(gapMs: number): readonly Reply[] {
  const say = (words: string) => text(words, { deltas: words.match(/\S+\s*/g) ?? [words], gapMs });
  return [
    calls([call("bash", { command: "node check.js" }), call("glob", { pattern: "**/*.js" })], {
      text: "I'll run the check and look at what is here.",
    }),
    calls([call("read_file", { file_path: "src/main.js" }), call("read_file", { file_path: "src/greeting.js" })], {
      text: "The import in src/main.js asks for a name that src/greeting.js does not export. Both files, to be sure.",
    }),
    calls([
      call("edit_file", {
        file_path: "src/main.js",
        old_string: 'import { great } from "./greeting.js";',
        new_string: 'import { greet } from "./greeting.js";',
      }),
      call("edit_file", { file_path: "src/main.js", old_string: "great(name)", new_string: "greet(name)" }),
      call("bash", { command: "node check.js" }),
    ]),
    say(
      "Fixed: src/main.js:1 imported `great`, but src/greeting.js exports `greet`. I corrected the import and its use; the check passes now.\n",
    ),
  ];
}

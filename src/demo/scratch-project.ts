/** A small project with a broken import: main.js asks greeting.js for a name it does not export. */
export const scratchProject = {
  "package.json": '{ "name": "scratch", "private": true, "type": "module" }\n',
  "src/greeting.js": "export function greet(name) {\n  return `Hello, ${name}!`;\n}\n",
  "src/main.js":
    'import { great } from "./greeting.js";\n\nexport function welcome(names) {\n  return names.map((name) => great(name)).join("\\n");\n}\n',
  "check.js":
    'import assert from "node:assert/strict";\nimport { welcome } from "./src/main.js";\n\nassert.equal(welcome(["Ada", "Alan"]), "Hello, Ada!\\nHello, Alan!");\nconsole.log("1 check passed");\n',
} as const;

export const demoPrompt = "The check fails (node check.js). Find out why and fix it.";

/** The one command of the demo that is not plainly harmless. */
export const demoRule = "bash(node check.js)";

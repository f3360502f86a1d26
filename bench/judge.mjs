// How many commands are judged a second, and how long the worst of those takes that are made to take long.
import { adversarialCommands } from "./adversarial-commands.mjs";
import { loadJudge } from "./load-judge.mjs";

/** What coding agents run all day; `#` is another number each time, so that no two commands are the same. */
const everyday = [
  "git status --short",
  "git log --oneline -n #",
  "git diff HEAD~# -- src/file#.ts",
  "npm test",
  "npm test -- --grep case#",
  "npx tsc --noEmit -p packages/p#",
  "grep -rn 'name#' src --include='*.ts' | head -20",
  "rg -n --hidden 'needle#' src/folder# -g '!dist'",
  "cat package.json | jq '.scripts.s#'",
  "cat src/file#.ts",
  "sed -n '#,+40p' src/main.ts",
  "ls -la src/folder#",
  "cd packages/p# && ls && git status",
  "find . -name '*#.test.ts' -not -path './node_modules/*' | wc -l",
  "head -n # README.md",
  "rm -rf dist# && npm run build",
  "mkdir -p out/d# && cp src/a#.ts out/d#/",
  'echo "done #" > out#.log',
  "python3 -c 'print(#)'",
  "wc -l src/*#.ts | sort -n | tail -5",
  "curl -s https://example.org/api/#",
  "docker ps -a | grep c#",
  "for f in a# b#; do echo $f; done",
  "test -f src/f#.ts && echo yes || echo no",
];

async function judgeSpeed() {
  const { judge, remove } = await loadJudge();
  const fill = (at) => everyday[at % everyday.length].replaceAll("#", String(at));
  const same = (at) => everyday[at % everyday.length].replaceAll("#", "7");
  try {
    await aSecond(judge, fill, { from: 1, count: 20_000 });
    const distinct = [];
    const repeated = [];
    for (let round = 1; round <= 5; round++) {
      distinct.push(await aSecond(judge, fill, { from: round * 100_000, count: 20_000 }));
      repeated.push(await aSecond(judge, same, { from: 0, count: 20_000 }));
    }
    return { distinct: Math.max(...distinct), repeated: Math.max(...repeated), worst: await worstOf(judge) };
  } finally {
    remove();
  }
}

async function aSecond(judge, make, { from, count }) {
  const commands = Array.from({ length: count }, (_, at) => make(from + at));
  const usedMs = await timed(async () => {
    for (const command of commands) await judge(command);
  });
  return (count / usedMs) * 1000;
}

/** Processor time, so that other work on the machine does not count. */
async function timed(work) {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** The best of three tries each: collecting garbage is not the command's. */
async function worstOf(judge) {
  let worst = { ms: 0, name: "" };
  const all = [];
  for (const [name, command] of adversarialCommands()) {
    let ms = Number.POSITIVE_INFINITY;
    for (let tries = 0; tries < 3; tries++) {
      // A remembered answer would tell nothing.
      ms = Math.min(ms, await timed(() => judge(`${command} ${tries}`)));
    }
    all.push({ ms, name });
    if (ms > worst.ms) worst = { ms, name };
  }
  return { ...worst, slowest: all.sort((a, b) => b.ms - a.ms).slice(0, 15) };
}

const { distinct, repeated, worst } = await judgeSpeed();
if (process.argv.includes("--json")) console.log(JSON.stringify({ distinct, repeated, worst }));
else {
  console.log(`distinct commands judged a second: ${Math.round(distinct)}`);
  console.log(`repeated commands judged a second: ${Math.round(repeated)}`);
  for (const { ms, name } of worst.slowest) console.log(`${ms.toFixed(2)} ms  ${name}`);
}

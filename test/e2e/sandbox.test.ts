import { execFileSync, spawnSync } from "node:child_process";
import { createSocket } from "node:dgram";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { call, text } from "../../src/testing/index.ts";
import { lastToolText } from "../support/wire-messages.ts";
import { it, type World } from "../support/world.ts";

const probe = spawnSync("bwrap", ["--ro-bind", "/", "/", "--proc", "/proc", "--unshare-pid", "--unshare-net", "true"]);
const cannotRun = probe.status !== 0;
if (cannotRun) console.warn(`skipped: bubblewrap cannot run here (${probe.stderr ?? "not installed"})`);

const inAuto = ["-p", "go", "--permission-mode", "auto"];

async function told(world: World, commands: readonly string[], args: readonly string[] = inAuto): Promise<string[]> {
  const rounds = commands.map((command) => call("bash", { command }));
  const model = await world.model([...rounds, text("ok")]);
  const result = await world.run(args, { model, timeoutMs: 40_000 });
  expect(result).toMatchObject({ code: 0, stdout: "ok\n" });
  return model.requests.slice(1).map((request) => lastToolText(request));
}

function isRunning(marker: string): boolean {
  const lines = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" }).split("\n");
  return lines.some((line) => line.includes(marker) && !line.includes("ps -eo"));
}

describe.skipIf(cannotRun)("a command in mode auto", () => {
  it("runs unasked, whatever it is, and works in the workspace as ever", async ({ world }) => {
    const answers = await told(world, [
      "mkdir a && cd a && printf 'echo unknown program\\n' > run.sh && chmod +x run.sh && ./run.sh; export WHO=me",
      'echo "$PWD $WHO"; exit 3',
    ]);
    expect(answers[0]).toBe("unknown program");
    expect(answers[1]).toBe(`${join(world.cwd, "a")} me\n[exit code 3]`);
    expect(existsSync(join(world.cwd, "a/run.sh"))).toBe(true);
  });

  it("that writes to the home folder is stopped, and that is said", async ({ world }) => {
    const [answer] = await told(world, ["sh -c 'echo x > $HOME/planted'"]);
    expect(answer).toMatch(/\[sandbox: writing .*planted was refused; it may write in /);
    expect(answer).toMatch(/not run again outside: .*nobody can be asked.* Go on without it/);
    expect(existsSync(join(world.home, "planted"))).toBe(false);
  });

  it("that reads keys or the state folder finds nothing, and that is said", async ({ world }) => {
    mkdirSync(join(world.home, ".ssh"));
    writeFileSync(join(world.home, ".ssh/id_rsa"), "PRIVATE");
    writeFileSync(join(world.home, ".netrc"), "machine x password TOPSECRET");
    mkdirSync(world.state, { recursive: true });
    writeFileSync(join(world.state, "settings.json"), '{"apiKey":"sk-inside"}');
    const answers = await told(world, [
      `python3 -c "import os; print(os.listdir('${world.state}'))"`,
      `python3 -c "print(open('${world.home}/.ssh/id_rsa').read())"`,
      `f=rc; sh -c "cat $HOME/.net$f; echo read"`,
    ]);
    expect(answers.join()).not.toMatch(/PRIVATE|TOPSECRET|sk-inside|settings\.json/);
    expect(answers[0]).toContain(`[sandbox: ${world.state} is hidden from commands]`);
    expect(answers[1]).toMatch(/\.ssh is hidden/);
  });

  it("that opens a socket reaches nobody, and that is said", async ({ world }) => {
    let connections = 0;
    const server = createServer((socket) => {
      connections++;
      socket.end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const resolver = createSocket("udp4", () => connections++);
    await new Promise<void>((resolve) => resolver.bind(port, "127.0.0.1", resolve));
    const [local, name] = await told(world, [
      `bash -c 'echo query > /dev/udp/127.0.0.1/${port}; exec 3<>/dev/tcp/127.0.0.1/${port}'`,
      `python3 -c "import socket; socket.create_connection(('example.com', 80), 3)"`,
    ]);
    server.close();
    resolver.close();
    expect(connections).toBe(0);
    expect(local).toMatch(/\[sandbox: there is no network/);
    expect(name).toMatch(/\[sandbox: there is no network/);
  });

  it("reaches the hosts that a rule allows, and no other, which is said and named", async ({ world }) => {
    const asked: string[] = [];
    const server = createServer((socket) => {
      socket.once("data", (data) => {
        asked.push(String(data).split("\r\n")[0] ?? "");
        socket.end("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
      });
      socket.on("error", () => {});
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const through = (target: string) =>
      `bash -c 'exec 3<>/dev/tcp/127.0.0.1/8118; printf "GET http://${target}/x HTTP/1.1\\r\\nHost: y\\r\\n\\r\\n" >&3; timeout 5 cat <&3'`;
    const [allowed, other, forbidden, waits] = await told(
      world,
      [
        `${through(`127.0.0.1:${port}`)}; env | grep -c -i _proxy=`,
        through("other.example.org"),
        `${through("no.example.org")}; bash -c 'exec 3<>/dev/tcp/127.0.0.1/${port}'`,
        "sleep 0 & wait; echo waited",
      ],
      [...inAuto, "--allowed-tools", `network(127.0.0.1:${port})`, "--disallowed-tools", "network(no.example.org)"],
    );
    server.close();
    expect(allowed).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*hello9$/);
    expect(asked).toEqual(["GET /x HTTP/1.1"]);
    expect(other).toMatch(/403 Forbidden[\s\S]*\[sandbox: other\.example\.org:80 was not reached: no rule allows it/);
    expect(forbidden).toContain("refused by network(no.example.org)");
    expect(waits).toMatch(/^waited/);
  });

  it("that forks a daemon leaves none, and that is said", async ({ world }) => {
    const seconds = `77.${process.pid}${Math.floor(Math.random() * 1e6)}`;
    const [answer, after] = await told(world, [
      `setsid -f env -i sleep ${seconds} >/dev/null 2>&1; env -i setsid sleep ${seconds} & echo up`,
      `ps -eo args | grep -c '[s]leep ${seconds}'`,
    ]);
    expect(answer).toMatch(/^up\n.*ends with it; use run_in_background/s);
    expect(after).toMatch(/^0/);
    expect(isRunning(seconds)).toBe(false);
  });

  it("that fills the disk is stopped at a limit, and that is said", { timeout: 60_000 }, async ({ world }) => {
    const [answer] = await told(world, [
      "dd if=/dev/zero of=/tmp/big bs=1M count=1500 2>&1; ls -l /tmp/big | wc -l; false",
    ]);
    expect(answer).toMatch(/File (too large|size limit)/i);
    expect(answer).toMatch(/\[sandbox: no file may be larger than 1 GB\]|\/tmp was full/);
    expect(readdirSync(join(world.folder, "tmp")).filter((name) => name.startsWith("corecoder-"))).toEqual([]);
  });

  it("has a /tmp of its own that lasts for the session", async ({ world }) => {
    const mark = `corecoder-test-${process.pid}`;
    const answers = await told(world, [`echo kept > /tmp/${mark}`, `cat /tmp/${mark}`]);
    expect(answers[1]).toBe("kept");
    expect(existsSync(`/tmp/${mark}`)).toBe(false);
  });

  it("cannot change what runs code later outside", async ({ world }) => {
    execFileSync("git", ["init", "-q", world.cwd]);
    world.write(".vscode/tasks.json", "{}");
    const answers = await told(world, [
      "sh -c 'echo evil > .git/hooks/pre-commit'",
      "sh -c 'echo evil > .vscode/tasks.json'",
      "git add -A && git -c user.name=a -c user.email=a@b commit -qm works && git log --oneline | wc -l",
      "sh -c 'echo {} > .mcp.json'; ln -s /etc .envrc; sh -c 'echo ../elsewhere > .git/commondir'",
      "mv .git .old; cp -r .old .git && sh -c 'echo evil > .git/hooks/pre-commit'",
    ]);
    expect(answers[0]).toMatch(/\[sandbox: writing .* other programs run or trust/);
    expect(world.read(".vscode/tasks.json")).toBe("{}");
    expect(answers[2]).toMatch(/^1/);
    for (const name of [".mcp.json", ".envrc", ".git/commondir"]) {
      expect(answers[3]).toContain(
        `${join(world.cwd, name)} is new, and other programs run or trust such a file: it is now`,
      );
      expect(existsSync(join(world.cwd, name))).toBe(false);
    }
    expect(world.read(".mcp.json.from-sandbox")).toBe("{}\n");
    expect(answers[4]).toMatch(/Device or resource busy/);
    expect(existsSync(join(world.cwd, ".git/hooks/pre-commit"))).toBe(false);
  });

  it("cannot make a repository whose settings run code outside when it is looked at", async ({ world }) => {
    const evil = `touch ${world.home}/escaped #`;
    const answers = await told(
      world,
      [
        `git init -q sub && git -C sub config core.fsmonitor '${evil}' && echo made`,
        "git -C sub status --short; echo looked",
      ],
      ["-p", "go"],
    );
    expect(answers[0]).toBe("made");
    expect(answers[1]).toMatch(/looked/);
    expect(existsSync(join(world.home, "escaped"))).toBe(false);
  });

  it("reaches no sockets of the system and gains no rights", async ({ world }) => {
    const [answer] = await told(world, [
      "ls -A /run | grep -vE 'systemd|NetworkManager|current-system' | wc -l; grep NoNewPrivs /proc/self/status; mount -o remount,rw / 2>&1; echo $?",
    ]);
    expect(answer).toMatch(/^0\nNoNewPrivs:\t1\n/);
    expect(answer).not.toMatch(/\n0$/);
  });

  it("that only the user's rule allows runs outside", async ({ world }) => {
    const [answer] = await told(
      world,
      ['python3 -c \'open("../outside", "w")\''],
      [...inAuto, "--allowed-tools", "bash(python3 *)"],
    );
    expect(answer).toBe("(no output)");
    expect(existsSync(join(world.home, "outside"))).toBe(true);
  });

  it("that destroys is refused as everywhere, and secrets still need a person", async ({ world }) => {
    world.write(".env", "TOKEN=inside");
    const answers = await told(world, ["rm -rf /", "cat .env"]);
    for (const answer of answers) expect(answer).toMatch(/Permission denied/);
  });

  it("cannot choose what later commands outside are given", async ({ world }) => {
    const answers = await told(
      world,
      [
        "export EVIL=inside NODE_OPTIONS=--evil; unset HOME",
        'echo "$EVIL|${HOME-gone}"',
        "printenv EVIL NODE_OPTIONS HOME",
      ],
      [...inAuto, "--allowed-tools", "bash(printenv *)"],
    );
    expect(answers[1]).toBe("inside|gone");
    expect(answers[2]).toBe(`${world.home}\n[exit code 1]`);
  });

  it("kill -9 of the program ends it at once", async ({ world }) => {
    const seconds = `78.${process.pid}${Math.floor(Math.random() * 1e6)}`;
    const model = await world.model([call("bash", { command: `env -i setsid -f sleep ${seconds}; sleep ${seconds}` })]);
    const cli = world.start(inAuto, { model });
    const until = (wanted: boolean) =>
      expect.poll(() => isRunning(`sleep ${seconds}`), { timeout: 8000, interval: 20 }).toBe(wanted);
    await until(true);
    process.kill(cli.pid, "SIGKILL");
    await cli.result;
    await until(false);
  });
});

describe.skipIf(cannotRun)("with a person present", () => {
  it("a command that the sandbox stopped is offered for a run outside", async ({ world }) => {
    const command = "sh -c 'echo x > ../made-outside'";
    const model = await world.model([call("bash", { command }), text("done")]);
    const terminal = world.terminal(["--permission-mode", "auto"], { model });
    await terminal.waitForPrompt();
    terminal.type("go");
    await terminal.waitFor(/outside the sandbox/);
    terminal.press("y");
    await terminal.waitFor("done");
    expect(readFileSync(join(world.home, "made-outside"), "utf8")).toBe("x\n");
    expect(lastToolText(model.requests[1])).toMatch(/run again outside, as the user allowed/);
  });
});

describe.skipIf(cannotRun)("doctor", () => {
  it("says that the sandbox works", async ({ world }) => {
    const model = await world.model([text("ok")]);
    const { stdout } = await world.run(["doctor"], { model });
    expect(stdout).toMatch(/✓ sandbox +bubblewrap/);
  });
});

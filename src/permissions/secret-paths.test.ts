import { describe, expect, it } from "vitest";
import { catchesSecret, isSecretPath } from "./secret-paths.ts";

describe("likely secrets", () => {
  it("are known by name and by folder", () => {
    for (const path of [
      ...[
        ".env",
        "app/.env.production",
        ".ENV",
        "/home/dev/.ssh/config",
        "/home/dev/.aws/credentials",
        "tls/server.key",
      ],
      ...["id_rsa", "id_ed25519_work", "cert.pem", ".netrc", ".npmrc", ".git-credentials", "/home/dev/.kube/config"],
      ...["/home/dev/.config/gh/hosts.yml", "/home/dev/.corecoder/settings.json", ".bash_history", "/etc/shadow"],
      ...["/proc/self/environ", "/proc/1/mem", "/etc/ssh/ssh_host_rsa_key", "secrets.yml", "a/.env/"],
    ]) {
      expect([path, isSecretPath(path)]).toEqual([path, true]);
    }
  });

  it("are not everything that sounds like one", () => {
    for (const path of [
      ...[".env.example", "env.ts", "id_rsa.pub", "keys.ts", "package.json", "src/secrets/index.ts", "monkey.md"],
      ...["/home/dev/.corecoder/sessions/x/1.txt", "/proc/cpuinfo", "environment.md", "known_hosts"],
    ]) {
      expect([path, isSecretPath(path)]).toEqual([path, false]);
    }
  });

  it("are caught by patterns that would match one", () => {
    for (const pattern of [".e*", "*.pem", "id_*", "~/.s*/x", ".[e]nv", ".*"]) {
      expect([pattern, catchesSecret(pattern)]).toEqual([pattern, true]);
    }
    for (const pattern of ["*", "src/*.ts", "*.md", "a[0-9].txt", ".env"]) {
      expect([pattern, catchesSecret(pattern)]).toEqual([pattern, false]);
    }
  });
});

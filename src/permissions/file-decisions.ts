import { dirname, resolve } from "node:path";
import { messageOf } from "../contracts/errors.ts";
import type { PermissionDecision, PermissionRequest } from "../contracts/permission.ts";
import { displayPath, isInside, realOrSame, realTarget } from "../platform/paths.ts";
import { isProtected } from "./protected-paths.ts";
import { expandHome } from "./rule-book.ts";
import { quotePath } from "./rules.ts";
import { isSecretPath } from "./secret-paths.ts";

/** What the person's rules are asked about when it is not clear that a call may read. */
export function decideReads(request: PermissionRequest, home: string): PermissionDecision {
  const secret = request.view.reads?.find((given) => {
    const real = locate(given, request, home);
    return isSecretPath(expandHome(given, home)) || ("path" in real && isSecretPath(real.path));
  });
  if (secret === undefined) return { verdict: "allow", because: "it only reads" };
  return {
    verdict: "ask",
    because: `it reads ${secret}, which likely holds a secret`,
    rule: ruleForFile(request, secret, home),
  };
}

/** Refuses what lands outside, asks about what other tools trust; undefined for ordinary files of the workspace. */
export function decideWrites(request: PermissionRequest, home: string): PermissionDecision | undefined {
  const roots = [realOrSame(request.root), ...request.writableRoots];
  for (const given of request.view.writes ?? []) {
    const real = locate(given, request, home);
    if ("problem" in real) {
      return { verdict: "deny", because: `${given} cannot be followed to where it leads (${real.problem})` };
    }
    const root = roots.find((folder) => isInside(real.path, folder));
    if (root === undefined) {
      const way = `the user can open its folder with --add-dir ${dirname(real.path)}`;
      return { verdict: "deny", because: `${real.path} is outside the workspace; ${way}` };
    }
    if (isProtected(real.path, root)) {
      const because = `it changes ${given}, which other tools execute or trust`;
      return { verdict: "ask", because, rule: ruleForFile(request, given, home) };
    }
  }
  return undefined;
}

type Located = { readonly path: string } | { readonly problem: string };

function locate(given: string, { cwd }: PermissionRequest, home: string): Located {
  try {
    return { path: realTarget(expandHome(given, home), cwd) };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

function ruleForFile({ tool, root, cwd }: PermissionRequest, given: string, home: string): string {
  return `${tool}(${quotePath(displayPath(resolve(cwd, expandHome(given, home)), root))})`;
}

/** "Always" for an ordinary file means its folder: one file is rarely changed once, and the whole workspace is too much. */
export function ruleForFolder({ tool, root, cwd, view }: PermissionRequest, home: string): string {
  const [first = ""] = view.writes ?? [];
  const folder = displayPath(dirname(resolve(cwd, expandHome(first, home))), root);
  return folder === "." ? `${tool}(*)` : `${tool}(${quotePath(folder)}/**)`;
}

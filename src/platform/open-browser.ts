import { spawnGroup } from "./process-group.ts";

/** Shows an http or https address in the person's browser. False when there is no way to. */
export async function openBrowser(address: URL, env: Readonly<Record<string, string>>): Promise<boolean> {
  if (address.protocol !== "https:" && address.protocol !== "http:") return false;
  const file = process.platform === "darwin" ? "open" : "xdg-open";
  try {
    const { child, exited } = await spawnGroup({ file, args: [address.href], cwd: "/", env, stdio: "ignore" });
    child.unref();
    return (await exited).code === 0;
  } catch {
    return false;
  }
}

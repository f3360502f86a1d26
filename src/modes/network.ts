import { resolve } from "node:path";
import type { RunOptions } from "../config/arguments.ts";
import type { LoadedSettings } from "../config/load.ts";
import { exitCode, messageOf, UserError } from "../contracts/errors.ts";
import type { SendRequest } from "../contracts/extension.ts";
import { createPost, type Post, post } from "../providers/http-stream.ts";
import type { GivenProxy, ProxySettings } from "../providers/network/proxy.ts";
import type { RecordedRun } from "../providers/traffic/exchange.ts";
import { type Output, paint } from "../ui/output.ts";
import { version } from "../version.ts";
import { type ResolvedModel, refuse } from "./resolve-model.ts";

export type NetworkOptions = {
  readonly resolved: ResolvedModel;
  readonly run: Pick<RunOptions, "record" | "replay">;
  readonly cwd: string;
  readonly home: string;
  readonly output: Output;
};

/** How requests leave: straight (undefined), through a proxy, into a recording, or not at all. Nothing is loaded for the first of these. */
export async function openNetwork(options: NetworkOptions): Promise<Post | undefined> {
  const { resolved, run } = options;
  if (run.replay !== undefined) return openReplay(run.replay, options);
  const proxies = await openProxies(resolved.loaded);
  const through = proxies && createPost(proxies);
  return run.record === undefined ? through : openRecording(run.record, options, through ?? post);
}

/** Through which proxies, if any. A bad address is an error of who set it. */
export async function openProxies(loaded: LoadedSettings): Promise<ProxySettings | undefined> {
  const { httpsProxy, httpProxy, allProxy, noProxy } = loaded.settings;
  if ((httpsProxy ?? httpProxy ?? allProxy) === undefined) return undefined;
  const { problemWithProxy } = await import("../providers/network/proxy-choice.ts");
  const given = (own: "httpsProxy" | "httpProxy"): GivenProxy | undefined => {
    const key = loaded.settings[own] === undefined ? "allProxy" : own;
    const address = loaded.settings[key];
    if (address === undefined) return undefined;
    refuse(loaded, key, problemWithProxy(address));
    return { address, from: loaded.origins.get(key)?.name ?? key };
  };
  const [https, http] = [given("httpsProxy"), given("httpProxy")];
  return {
    ...(https ? { https } : {}),
    ...(http ? { http } : {}),
    ...(noProxy ? { exceptions: noProxy } : {}),
  };
}

/** How one request leaves through the proxy that is set for its address, if any. */
export async function proxied(loaded: LoadedSettings, url: URL): Promise<SendRequest | undefined> {
  const proxies = await openProxies(loaded);
  if (proxies === undefined) return undefined;
  const { chooseProxy } = await import("../providers/network/proxy-choice.ts");
  const proxy = chooseProxy(proxies, url);
  if (proxy === undefined) return undefined;
  const { proxyTransport } = await import("../providers/network/proxy-transport.ts");
  const { agent, request } = await proxyTransport(proxy, url.protocol);
  return (to, options) => request(to, { ...options, agent });
}

async function openRecording(given: string, options: NetworkOptions, through: Post): Promise<Post> {
  const folder = resolve(options.cwd, given);
  const [{ recordTraffic }, { exchangesIn }, { makePrivateFolder }] = await Promise.all([
    import("../providers/traffic/record-traffic.ts"),
    import("../providers/traffic/exchange.ts"),
    import("../platform/private-files.ts"),
  ]);
  if (exchangesIn(folder).length > 0)
    throw new UserError(
      exitCode.usage,
      `${folder} (--record) holds a recording already. Name another folder, or empty it.`,
    );
  try {
    makePrivateFolder(folder);
  } catch (error) {
    throw new UserError(exitCode.usage, `${folder} (--record) cannot be written: ${messageOf(error)}.`);
  }
  const { output } = options;
  let isTold = false;
  return recordTraffic({
    post: through,
    folder,
    run: thisRun(options),
    onTrouble(problem) {
      const text = `The recording in ${folder} is not complete: ${messageOf(problem)}`;
      if (!isTold) output.err(`${paint(output, "dim", text)}\n`);
      isTold = true;
    },
  });
}

async function openReplay(given: string, options: NetworkOptions): Promise<Post> {
  if (options.run.record !== undefined)
    throw new UserError(
      exitCode.usage,
      "--record and --replay do not go together: what is played back is recorded already.",
    );
  const folder = resolve(options.cwd, given);
  const [{ replayTraffic }, { readRun }] = await Promise.all([
    import("../providers/traffic/replay-traffic.ts"),
    import("../providers/traffic/exchange.ts"),
  ]);
  const run = readRun(folder);
  return replayTraffic({ folder, ...(run ? { recorded: run.folders } : {}), current: thisRun(options).folders });
}

function thisRun({ resolved, cwd, home }: NetworkOptions): RecordedRun {
  const { vendor, model, baseUrl } = resolved.choice;
  return {
    program: `corecoder ${version}`,
    provider: vendor.name,
    model,
    baseUrl,
    folders: { project: cwd, home, state: resolved.loaded.stateFolder },
  };
}

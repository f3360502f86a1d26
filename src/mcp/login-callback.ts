import type { AddressInfo } from "node:net";

export type LoginCallback = {
  readonly redirectUrl: string;
  /** What the authorisation server sent back with the browser. */
  readonly answer: Promise<URLSearchParams>;
  close(): void;
};

/** Listens on this machine alone, for one browser that brings the right word. */
export async function openLoginCallback(state: string, port = 0): Promise<LoginCallback> {
  const { createServer } = await import("node:http");
  let settle: (parameters: URLSearchParams) => void = () => {};
  const answer = new Promise<URLSearchParams>((resolve) => {
    settle = resolve;
  });
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
    const isOurs = pathname === "/callback" && searchParams.get("state") === state;
    response.writeHead(isOurs ? 200 : 404, { "content-type": "text/plain; charset=utf-8", connection: "close" });
    response.end(isOurs ? "corecoder has what it needs. You can close this page.\n" : "Not found.\n");
    if (isOurs) settle(searchParams);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    redirectUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    answer,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A proxy as a person set it. */
export type GivenProxy = {
  readonly address: string;
  /** The variable or file it stands in, for messages. */
  readonly from: string;
};

export type ProxySettings = {
  readonly https?: GivenProxy;
  readonly http?: GivenProxy;
  /** As in NO_PROXY. */
  readonly exceptions?: string;
};

export type ProxyServer = {
  readonly url: URL;
  /** Its address without name and password. */
  readonly name: string;
  readonly from: string;
  /** Value of the header that the proxy wants. */
  readonly authorization?: string;
};

/** How a message names it. */
export function named({ name, from }: ProxyServer): string {
  return `the proxy ${name} (${from})`;
}

import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";

/** Addresses that lead to this machine, to its neighbours or to a cloud's own services; everything else is the public internet. */
const inner: readonly (readonly [string, number, "ipv4" | "ipv6"])[] = [
  ["0.0.0.0", 8, "ipv4"],
  ["10.0.0.0", 8, "ipv4"],
  ["100.64.0.0", 10, "ipv4"],
  ["127.0.0.0", 8, "ipv4"],
  ["169.254.0.0", 16, "ipv4"],
  ["172.16.0.0", 12, "ipv4"],
  ["192.0.0.0", 24, "ipv4"],
  ["192.0.2.0", 24, "ipv4"],
  ["192.168.0.0", 16, "ipv4"],
  ["198.18.0.0", 15, "ipv4"],
  ["198.51.100.0", 24, "ipv4"],
  ["203.0.113.0", 24, "ipv4"],
  ["224.0.0.0", 3, "ipv4"],
  ["::", 127, "ipv6"],
  ["64:ff9b::", 96, "ipv6"],
  ["64:ff9b:1::", 48, "ipv6"],
  ["100::", 64, "ipv6"],
  ["2001::", 23, "ipv6"],
  ["2001:db8::", 32, "ipv6"],
  ["2002::", 16, "ipv6"],
  ["fc00::", 7, "ipv6"],
  ["fe80::", 9, "ipv6"],
  ["ff00::", 8, "ipv6"],
];

let list: BlockList | undefined;

export function isPublicAddress(address: string): boolean {
  if (list === undefined) {
    list = new BlockList();
    for (const [net, prefix, family] of inner) list.addSubnet(net, prefix, family);
  }
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  const plain = mapped ?? address;
  const version = isIP(plain);
  if (version === 0 || (version === 6 && /^::ffff:/i.test(plain))) return false;
  return !list.check(plain, version === 4 ? "ipv4" : "ipv6");
}

export type FoundAddress = { readonly address: string; readonly family: 4 | 6 };

/** Where a host is; with all its addresses public, or undefined addresses refused by name. Connect to what this answers, not to the name: it may lead elsewhere the next time. */
export async function findAddress(
  host: string,
): Promise<{ readonly found: FoundAddress; readonly isPublic: boolean } | undefined> {
  const bare = host.replace(/^\[|\]$/g, "");
  const version = isIP(bare);
  const all = version === 0 ? await lookup(bare, { all: true }).catch(() => []) : [{ address: bare, family: version }];
  const [first] = all;
  if (first === undefined) return undefined;
  const found = { address: first.address, family: first.family === 6 ? 6 : 4 } as const;
  return { found, isPublic: all.every(({ address }) => isPublicAddress(address)) };
}

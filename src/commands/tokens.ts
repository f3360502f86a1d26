import { report } from "./report.ts";

export const tokens = report("tokens", "tokens used in this session", (host) => host.usageReport());

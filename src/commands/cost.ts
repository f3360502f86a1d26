import { report } from "./report.ts";

export const cost = report("cost", "money spent in this session", (host) => host.costReport());

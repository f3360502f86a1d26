import { report } from "./report.ts";

export const diff = report("diff", "what this session changed in files", (host) => host.diffReport());

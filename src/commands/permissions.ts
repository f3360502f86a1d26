import { report } from "./report.ts";

export const permissions = report("permissions", "permission mode, rules and what was decided last", (host) =>
  host.permissionReport(),
);

import { report } from "./report.ts";

export const permissions = report("permissions", "permission mode and rules", (host) => host.permissionReport());

import { report } from "./report.ts";

export const sessions = report("sessions", "where sessions are saved", (host) => host.sessionReport());

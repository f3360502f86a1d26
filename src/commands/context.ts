import { report } from "./report.ts";

export const context = report("context", "what fills the window, and the last receipts", (host) =>
  host.contextReport(),
);

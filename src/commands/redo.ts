import { report } from "./report.ts";

export const redo = report("redo", "take the last undo back", (host) => host.redo());

import type { Receipt, WindowContents } from "../contracts/context.ts";
import { showControl } from "../platform/terminal-text.ts";
import { receiptLine } from "./receipt-line.ts";
import { contextMap, type MapOptions } from "./rendering/context-map.ts";

export type ShownWindow = {
  readonly id: string;
  readonly cwd: string | undefined;
  readonly model: string | undefined;
  readonly calls: number;
  readonly messages: number;
  readonly damagedLines: number;
  readonly contents: WindowContents;
  readonly receipts: readonly { readonly time: number; readonly receipt: Receipt }[];
};

/** What filled the window when a saved session ended, and every cut on the way there. */
export function windowReport(shown: ShownWindow, options: MapOptions): string {
  const { id, cwd, model, calls, messages, damagedLines, contents, receipts } = shown;
  const about = [
    `Session ${id}`,
    ...(cwd === undefined ? [] : [`in ${cwd}`]),
    ...(model === undefined ? [] : [`with ${model}`]),
    `${messages} messages, ${calls} model ${calls === 1 ? "call" : "calls"}`,
    ...(damagedLines > 0 ? [`${damagedLines} damaged ${damagedLines === 1 ? "line" : "lines"} skipped`] : []),
  ].join(", ");
  const cuts = receipts.map(({ time, receipt }) => {
    const at = new Date(time).toISOString().slice(0, 19).replace("T", " ");
    return `  ${at}  ${receipt.stages.join(" + ")}: ${receiptLine(receipt)}`;
  });
  const heading =
    cuts.length > 0 ? `\n  Receipts (UTC)\n${cuts.join("\n")}\n` : "\n  Nothing was cut in this session.\n";
  return `${showControl(about)}\n${contextMap(contents, [], options)}${heading.split("\n").map(showControl).join("\n")}`;
}

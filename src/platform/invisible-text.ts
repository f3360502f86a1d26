/** Characters no reader sees and some models obey: tag block, variation selectors beyond it, zero-width, bidirectional marks. */
const invisible = /[\u{E0000}-\u{E0FFF}\u061C\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF]/gu;

export type VisibleText = {
  readonly text: string /** Something was hidden in it, a byte order mark apart. */;
  readonly hadHidden: boolean;
};

/** A text of somebody's that will be read as instructions, without what its author may have hidden in it. */
export function withoutHidden(text: string): VisibleText {
  const visible = text.replace(invisible, "");
  return { text: visible, hadHidden: visible.length < text.replace(/^\uFEFF/, "").length };
}

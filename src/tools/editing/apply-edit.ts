import { type FoldedText, foldLineEnds } from "./fold-line-ends.ts";

export type Replacement = { readonly old: string; readonly new: string; readonly all: boolean };

/** Where something was found, in the folded text. */
export type Place = { readonly start: number; readonly end: number };

export type AppliedEdit =
  | {
      readonly type: "edited";
      readonly bytes: Buffer;
      readonly folded: string;
      readonly replacement: string;
      readonly places: readonly Place[];
    }
  | { readonly type: "missing"; readonly folded: string; readonly old: string }
  /** Overlapping places count; `isCounted` is false when there are more than were looked for. */
  | {
      readonly type: "ambiguous";
      readonly folded: string;
      readonly places: readonly Place[];
      readonly isCounted: boolean;
    };

const mostCounted = 1000;

/** Replaces exact matches in a valid UTF-8 text whose byte order mark was set aside. Only line ends compare as equal. */
export function applyEdit(raw: string, edit: Replacement): AppliedEdit {
  const text = foldLineEnds(raw);
  const old = text.fold(edit.old);
  const places = edit.all ? separatePlaces(text.text, old) : overlappingPlaces(text.text, old, mostCounted + 1);
  if (places.length === 0) return { type: "missing", folded: text.text, old };
  if (!edit.all && places.length > 1) {
    return {
      type: "ambiguous",
      folded: text.text,
      places: places.slice(0, mostCounted),
      isCounted: places.length <= mostCounted,
    };
  }
  const bytes = splice(raw, { text, places, replacement: edit.new });
  return { type: "edited", bytes, folded: text.text, replacement: text.fold(edit.new), places };
}

function separatePlaces(text: string, wanted: string): Place[] {
  const found: Place[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length))
    found.push({ start: at, end: at + wanted.length });
  return found;
}

function overlappingPlaces(text: string, wanted: string, most: number): Place[] {
  const found: Place[] = [];
  for (let at = text.indexOf(wanted); at >= 0 && found.length < most; at = text.indexOf(wanted, at + 1)) {
    found.push({ start: at, end: at + wanted.length });
  }
  return found;
}

type Splice = { readonly text: FoldedText; readonly places: readonly Place[]; readonly replacement: string };

/** Joins the untouched parts of the original with the replacements; encoded in portions, so that a million places stay cheap. */
function splice(raw: string, { text, places, replacement }: Splice): Buffer {
  const encoded: Buffer[] = [];
  let parts: string[] = [];
  let done = 0;
  for (const { start, end } of places) {
    parts.push(raw.slice(done, text.original(start)), text.unfold(replacement, start, end));
    done = text.original(end);
    if (parts.length > 50_000) {
      encoded.push(Buffer.from(parts.join("")));
      parts = [];
    }
  }
  parts.push(raw.slice(done));
  encoded.push(Buffer.from(parts.join("")));
  return encoded.length === 1 ? (encoded[0] as Buffer) : Buffer.concat(encoded);
}

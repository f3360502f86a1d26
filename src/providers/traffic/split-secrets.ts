/** What an answer is written in, on all wires. */
const textFields = new Set([
  "content",
  "text",
  "thinking",
  "reasoning",
  "reasoning_content",
  "arguments",
  "partial_json",
  "delta",
  "refusal",
]);

type Field = { readonly holder: Record<string, unknown>; readonly key: string };
type Line = { readonly event: unknown; isChanged: boolean };

/**
 * A secret that the model writes token by token is in no line as a whole. So the pieces of each text are put together, and where masking
 * changes it, one piece gets what is left of the changed part and the others lose theirs: what is decoded from the lines is the masked text.
 */
export function withoutSplitSecrets(lines: readonly string[], mask: (text: string) => string): readonly string[] {
  const parsed = lines.map((line): Line | undefined => {
    const event = line.startsWith("data:") ? parse(line.slice(5)) : undefined;
    return event === undefined ? undefined : { event, isChanged: false };
  });
  const texts = new Map<string, { fields: Field[]; lines: Line[] }>();
  for (const line of parsed) {
    if (line === undefined) continue;
    visit(line.event, "", (name, field) => {
      const text = texts.get(name) ?? { fields: [], lines: [] };
      texts.set(name, text);
      text.fields.push(field);
      text.lines.push(line);
    });
  }
  for (const { fields, lines: holders } of texts.values()) {
    const pieces = fields.map(({ holder, key }) => String(holder[key]));
    const whole = pieces.join("");
    const masked = pieces.length > 1 ? mask(whole) : whole;
    if (masked === whole) continue;
    const cut = cutAsBefore(pieces, whole, masked);
    for (const [i, { holder, key }] of fields.entries()) holder[key] = cut[i];
    for (const line of holders) line.isChanged = true;
  }
  return lines.map((line, i) => {
    const found = parsed[i];
    return found?.isChanged ? `data: ${JSON.stringify(found.event)}${/\r?\n?$/.exec(line)?.[0] ?? ""}` : line;
  });
}

/** The masked text in as many pieces, the same at the beginning and the end as far as nothing was masked there. */
function cutAsBefore(pieces: readonly string[], whole: string, masked: string): string[] {
  let start = 0;
  while (start < masked.length && whole[start] === masked[start]) start++;
  let tail = 0;
  const room = Math.min(whole.length, masked.length) - start;
  while (tail < room && whole.at(-1 - tail) === masked.at(-1 - tail)) tail++;
  const end = whole.length - tail;
  let changed = masked.slice(start, masked.length - tail);
  let at = 0;
  return pieces.map((piece) => {
    const [from, to] = [at, (at += piece.length)];
    const kept = whole.slice(from, Math.min(to, start)) + (to > start ? changed : "");
    if (to > start) changed = "";
    return kept + whole.slice(Math.max(from, end), to);
  });
}

/** Pieces of one text have the same place in their events: the same kind of event, the same item, the same field. */
function visit(value: unknown, path: string, found: (name: string, field: Field) => void): void {
  if (value === null || typeof value !== "object") return;
  const { type, index, output_index, thought } = value as Record<string, unknown>;
  const here = `${path}(${[type, index, output_index, thought].join()})`;
  for (const [key, inner] of Object.entries(value)) {
    if (typeof inner !== "string") visit(inner, `${here}.${key}`, found);
    else if (textFields.has(key)) found(`${here}.${key}`, { holder: value as Record<string, unknown>, key });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

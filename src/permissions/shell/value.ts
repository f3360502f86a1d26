/**
 * What is known of a word after the shell has expanded it. `text` leaves unknown pieces out and keeps pattern characters as
 * written; the two positions say from where on it can no longer be trusted (-1: never).
 */
export type Value = {
  readonly text: string;
  /** Where a file name pattern begins. */
  readonly globAt: number;
  /** Where something begins that is known only when the command runs. */
  readonly unknownAt: number;
  /** Any expansion took part, so the written word and the value differ. */
  readonly expanded: boolean;
  /** Unknown, but certainly a whole number. */
  readonly numeric?: true;
  /** Not quoted and not known: the shell may make several words of it. */
  readonly maySplit?: true;
};

export const unknownValue: Value = { text: "", globAt: -1, unknownAt: 0, expanded: true };

export const unknownNumber: Value = { ...unknownValue, numeric: true };

export function literal(text: string): Value {
  return { text, globAt: -1, unknownAt: -1, expanded: false };
}

export function pattern(text: string, globAt: number): Value {
  return { text, globAt, unknownAt: -1, expanded: true };
}

/** Every character is known. */
export function isStatic(value: Value): boolean {
  return value.globAt < 0 && value.unknownAt < 0;
}

/** The first character is known, so it is certain whether this is an option. */
export function startsKnown(value: Value): boolean {
  return value.globAt !== 0 && value.unknownAt !== 0;
}

/** Where the certain part of the text ends; -1 when all of it is certain. */
export function uncertainAt(value: Value): number {
  if (value.globAt < 0) return value.unknownAt;
  return value.unknownAt < 0 ? value.globAt : Math.min(value.globAt, value.unknownAt);
}

/** Longer than any path; what expansions add up to beyond it counts as unknown, so that doubling a variable again and again costs nothing. */
export const maximumExpanded = 2000;

export function concat(a: Value, b: Value): Value {
  if (a.text === "" && isStatic(a) && !a.maySplit) return a.expanded && !b.expanded ? { ...b, expanded: true } : b;
  const shift = a.text.length;
  if (shift + b.text.length > maximumExpanded && (a.expanded || b.expanded)) return { ...unknownValue, maySplit: true };
  return {
    text: a.text + b.text,
    globAt: a.globAt >= 0 || b.globAt < 0 ? a.globAt : shift + b.globAt,
    unknownAt: a.unknownAt >= 0 || b.unknownAt < 0 ? a.unknownAt : shift + b.unknownAt,
    expanded: a.expanded || b.expanded,
    ...(a.maySplit || b.maySplit ? { maySplit: true } : {}),
  };
}

/** An expansion outside of quotes. */
export function unquoted(value: Value): Value {
  return isStatic(value) || value.numeric ? value : { ...value, maySplit: true };
}

/** The value without its first `count` characters, which must be known. */
export function dropFirst(value: Value, count: number): Value {
  return {
    text: value.text.slice(count),
    globAt: value.globAt < 0 ? -1 : value.globAt - count,
    unknownAt: value.unknownAt < 0 ? -1 : value.unknownAt - count,
    expanded: value.expanded,
    ...(value.maySplit ? { maySplit: true } : {}),
  };
}

/** Without those that were there before. */
export function distinct(values: readonly Value[]): readonly Value[] {
  return values.length < 2
    ? values
    : [...new Map(values.map((value) => [`${value.globAt} ${value.unknownAt} ${value.text}`, value])).values()];
}

export function isWholeNumber(value: Value): boolean {
  return value.numeric === true || (isStatic(value) && /^[+-]?\d+$/.test(value.text));
}

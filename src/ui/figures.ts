import { thousands } from "./receipt-line.ts";

/** Numbers as a person reads them. */

export function tokensText(tokens: number): string {
  if (tokens >= 1e9) return `${(tokens / 1e9).toFixed(2)}G`;
  if (tokens >= 999_500) return `${(tokens / 1e6).toFixed(tokens < 1e8 ? 2 : 0)}M`;
  return thousands(Math.round(tokens));
}

/** Null is a price that is not known, which is not the same as none. */
export function dollars(amount: number | null): string {
  if (amount === null) return "?";
  if (amount === 0) return "$0";
  return amount < 0.01 ? "<$0.01" : `$${amount.toFixed(amount < 100 ? 2 : 0)}`;
}

export function durationText(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 100) return `${Math.round(seconds)} s`;
  const minutes = seconds / 60;
  if (minutes < 100) return `${Math.round(minutes)} min`;
  return `${(minutes / 60).toFixed(minutes < 600 ? 1 : 0)} h`;
}

export function bytesText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(bytes < 1e4 ? 1 : 0)} KB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}

export function percentText(part: number, whole: number): string {
  return whole > 0 ? `${Math.round((100 * part) / whole)} %` : "–";
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** On the person's own clock, `2026-11-15 06:27`. */
export function localTime(time: number): string {
  const date = new Date(time);
  const two = (number: number) => String(number).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** `5 min ago`, `yesterday`; a date when it was long ago, or when a clock was wrong. */
export function ago(time: number, now: number): string {
  const minutes = Math.floor((now - time) / 60_000);
  if (minutes < -1 || minutes >= 7 * 24 * 60) return localTime(time).slice(0, 10);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h ago`;
  const days = Math.floor(hours / 24);
  return days === 1 ? "yesterday" : `${days} days ago`;
}

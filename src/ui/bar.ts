const eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/** A bar of at most `width` columns; what is more than nothing can be seen. */
export function bar(value: number, most: number, width: number): string {
  if (most <= 0 || value <= 0) return "";
  const parts = Math.min(width * 8, Math.max(1, Math.round((value / most) * width * 8)));
  return "█".repeat(Math.floor(parts / 8)) + eighths[parts % 8];
}

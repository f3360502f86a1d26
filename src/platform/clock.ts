/** Milliseconds on a clock that never jumps. `performance.now` would load a dozen modules on first use. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}

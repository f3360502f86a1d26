/** Live output for a person: at most ten times a second, and only the end of what came meanwhile. */
export type LiveOutput = { push(text: string): void; stop(): void };

const intervalMs = 100;
const shownChars = 4_000;

export function createLiveOutput(show: (text: string) => void): LiveOutput {
  let pending = "";
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    timer = undefined;
    const text = pending;
    pending = "";
    show(text);
  };
  return {
    push(text) {
      if (text === "") return;
      pending = (pending + text).slice(-shownChars);
      timer ??= setTimeout(flush, intervalMs);
    },
    stop: () => clearTimeout(timer),
  };
}

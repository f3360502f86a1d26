import { readIfThere, replacePrivateFile } from "../platform/private-files.ts";

/** What endpoints were found to refuse, kept between runs so that a script does not pay for the same lesson every time. */
type Lessons = Record<string, Record<string, true | number>>;

export type EndpointLessons = {
  /** Fields that were refused. */
  recall(endpoint: string, model: string): Readonly<Record<string, true>>;
  learn(endpoint: string, model: string, refused: string): void;
  /** The window the endpoint once named in a refusal. */
  windowOf(endpoint: string, model: string): number | undefined;
  learnWindow(endpoint: string, model: string, tokens: number): void;
};

export function createEndpointLessons(path: string): EndpointLessons {
  let lessons: Lessons | undefined;
  const load = (): Lessons => (lessons ??= parse(readIfThere(path)));
  const keyOf = (endpoint: string, model: string) => `${endpoint} ${model}`;
  const remember = (key: string, lesson: Record<string, true | number>) => {
    const known = load();
    known[key] = { ...known[key], ...lesson };
    try {
      replacePrivateFile(path, `${JSON.stringify(known, null, 2)}\n`);
    } catch {
      // remembered for this run only
    }
  };
  return {
    recall(endpoint, model) {
      const { [windowKey]: _tokens, ...refused } = load()[keyOf(endpoint, model)] ?? {};
      return refused as Record<string, true>;
    },
    learn: (endpoint, model, refused) => remember(keyOf(endpoint, model), { [refused]: true }),
    windowOf(endpoint, model) {
      const tokens = load()[keyOf(endpoint, model)]?.[windowKey];
      return typeof tokens === "number" && tokens >= smallestWindow ? tokens : undefined;
    },
    learnWindow: (endpoint, model, tokens) => remember(keyOf(endpoint, model), { [windowKey]: tokens }),
  };
}

const windowKey = "windowTokens";
/** Less than this is no window an agent could work in, and more likely a mistake. */
const smallestWindow = 2_000;

/** A file that is not ours to read is worth nothing, and costs nothing: the lesson is learned again. */
function parse(text: string | undefined): Lessons {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    return value !== null && typeof value === "object" && !Array.isArray(value) ? (value as Lessons) : {};
  } catch {
    return {};
  }
}

import { readIfThere, replacePrivateFile } from "../platform/private-files.ts";

/** What endpoints were found to refuse, kept between runs so that a script does not pay for the same lesson every time. */
type Lessons = Record<string, Record<string, true>>;

export type EndpointLessons = {
  recall(endpoint: string, model: string): Readonly<Record<string, true>>;
  learn(endpoint: string, model: string, refused: string): void;
};

export function createEndpointLessons(path: string): EndpointLessons {
  let lessons: Lessons | undefined;
  const load = (): Lessons => (lessons ??= parse(readIfThere(path)));
  const keyOf = (endpoint: string, model: string) => `${endpoint} ${model}`;
  return {
    recall: (endpoint, model) => load()[keyOf(endpoint, model)] ?? {},
    learn(endpoint, model, refused) {
      const known = load();
      const key = keyOf(endpoint, model);
      known[key] = { ...known[key], [refused]: true };
      try {
        replacePrivateFile(path, `${JSON.stringify(known, null, 2)}\n`);
      } catch {
        // remembered for this run only
      }
    },
  };
}

/** A file that is not ours to read is worth nothing, and costs nothing: the lesson is learned again. */
function parse(text: string | undefined): Lessons {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    return value !== null && typeof value === "object" && !Array.isArray(value) ? (value as Lessons) : {};
  } catch {
    return {};
  }
}

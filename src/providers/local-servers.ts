import { getJson } from "./get-json.ts";
import { vendors } from "./vendors.ts";

export type LocalServer = {
  /** As `--provider` takes it. */
  readonly vendor: string;
  readonly baseUrl: string;
  /** As `--model` takes them; never empty. */
  readonly models: readonly string[];
};

type Place = Pick<LocalServer, "vendor" | "baseUrl">;

/** Longest that a person without a key waits for all of them together. */
const patienceMs = 150;
/** Models that do other work. */
const otherKinds = /embed|rerank|whisper|bge-|minilm|clip-|tts/i;

const usualPlaces: readonly Place[] = vendors
  .filter(({ needsKey, needsAddress }) => !needsKey && !needsAddress)
  .map(({ name, baseUrl }) => ({ vendor: name, baseUrl }));

/** Servers that answer on this machine, on the ports they usually have, with models to talk to. All are asked at once. */
export async function findLocalServers(
  places: readonly Place[] = usualPlaces,
  withinMs = patienceMs,
): Promise<readonly LocalServer[]> {
  const signal = AbortSignal.timeout(withinMs);
  const found = await Promise.all(
    places.map(async ({ vendor, baseUrl }) => {
      const models = modelNames(await getJson({ url: new URL(`${baseUrl}/models`), signal }));
      return models.length === 0 ? [] : [{ vendor, baseUrl, models }];
    }),
  );
  return found.flat();
}

/** Of whatever answers: another program on the port has no such list. */
function modelNames(answer: unknown): readonly string[] {
  const data = (answer as { readonly data?: unknown } | undefined | null)?.data;
  if (!Array.isArray(data)) return [];
  return data
    .map((row: unknown) => (row as { readonly id?: unknown } | null)?.id)
    .filter((id): id is string => typeof id === "string" && id !== "" && !otherKinds.test(id) && isPlain(id));
}

/** The name goes to the terminal and into a line to type. */
function isPlain(id: string): boolean {
  return id.length <= 200 && /^[\p{L}\p{N}\p{M} ._:/@+~()-]+$/u.test(id);
}

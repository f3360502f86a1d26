import type { ModelChoice } from "./choose-vendor.ts";
import { getJson } from "./get-json.ts";
import type { Post } from "./http-stream.ts";

export type WindowQuestion = {
  readonly choice: ModelChoice;
  readonly apiKey: string;
  readonly signal: AbortSignal;
  readonly post?: Post;
};

/** Windows above this are what we assume anyway. */
const assumedWindow = 128_000;

/** How many tokens the server gives this model, by whichever of its pages tells. Undefined: it does not say. */
export async function askWindow(question: WindowQuestion): Promise<number | undefined> {
  const { vendor } = question.choice;
  const ask = pages[vendor.name] ?? listedWindow;
  const found = (await ask(question)) ?? (ask === listedWindow ? undefined : await listedWindow(question));
  if (found === undefined) return undefined;
  const { served, trained } = found;
  // what a model was trained for is a bound, not what it is given
  return served ?? (trained !== undefined && trained < assumedWindow ? trained : undefined);
}

/** `served`: what requests may hold; `trained`: what the model could take if it were given it. */
type Found = { readonly served?: number | undefined; readonly trained?: number | undefined };
type Ask = (question: WindowQuestion) => Promise<Found | undefined>;

/** Each server's own page, for those whose list of models does not tell what is served. */
const pages: Readonly<Record<string, Ask>> = {
  ollama: askOllama,
  lmstudio: askLmStudio,
  llamacpp: askLlamaCpp,
};

function get({ choice, apiKey, signal, post }: WindowQuestion, path: string, body?: unknown): Promise<unknown> {
  const url = new URL(choice.baseUrl);
  url.pathname = path.startsWith("/api/") || path === "/props" ? path : url.pathname.replace(/\/+$/, "") + path;
  const headers = {
    ...(apiKey === "" ? {} : { authorization: `Bearer ${apiKey}` }),
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...choice.vendor.headers,
  };
  return getJson({ url, headers, signal, ...(post ? { post } : {}), ...(body === undefined ? {} : { body }) });
}

/** `GET …/models`: vLLM, llama.cpp, OpenRouter, Groq and Mistral, each with a word of its own. */
async function listedWindow(question: WindowQuestion): Promise<Found | undefined> {
  const answer = fieldsOf(await get(question, "/models"));
  const rows = (Array.isArray(answer.data) ? answer.data : []).map(fieldsOf);
  const { model } = question.choice;
  const row = rows.find(({ id }) => id === model) ?? (rows.length === 1 ? rows[0] : undefined);
  if (row === undefined) return undefined;
  const meta = fieldsOf(row.meta);
  return {
    served:
      count(row.max_model_len) ??
      count(fieldsOf(row.top_provider).context_length) ??
      count(row.context_length) ??
      count(row.context_window) ??
      count(row.max_context_length) ??
      count(meta.n_ctx),
    trained: count(meta.n_ctx_train),
  };
}

/** The window of the loaded model; one that is not loaded says only what it was trained for. */
async function askOllama(question: WindowQuestion): Promise<Found | undefined> {
  const { model } = question.choice;
  const running = fieldsOf(await get(question, "/api/ps")).models;
  const same = (name: unknown) => name === model || name === `${model}:latest`;
  const loaded = (Array.isArray(running) ? running : []).map(fieldsOf).find((row) => same(row.name) || same(row.model));
  const served = count(loaded?.context_length);
  if (served !== undefined) return { served };
  const shown = fieldsOf(await get(question, "/api/show", { model }));
  const wanted = typeof shown.parameters === "string" ? /^num_ctx\s+(\d+)/m.exec(shown.parameters)?.[1] : undefined;
  const trained = Object.entries(fieldsOf(shown.model_info)).find(([key]) => key.endsWith(".context_length"))?.[1];
  return { served: count(Number(wanted)), trained: count(trained) };
}

async function askLmStudio(question: WindowQuestion): Promise<Found | undefined> {
  const rows = fieldsOf(await get(question, "/api/v0/models")).data;
  const row = (Array.isArray(rows) ? rows : []).map(fieldsOf).find(({ id }) => id === question.choice.model);
  return row && { served: count(row.loaded_context_length), trained: count(row.max_context_length) };
}

/** What one request may hold: the server's window divided by its slots. */
async function askLlamaCpp(question: WindowQuestion): Promise<Found | undefined> {
  const props = fieldsOf(await get(question, "/props"));
  const served = count(fieldsOf(props.default_generation_settings).n_ctx);
  return served === undefined ? undefined : { served };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return value !== null && typeof value === "object" ? (value as Readonly<Record<string, unknown>>) : {};
}

function count(value: unknown): number | undefined {
  return typeof value === "number" && Number.isInteger(value) && value > 0 ? value : undefined;
}

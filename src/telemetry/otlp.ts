import type { Span } from "./spans.ts";

/** OpenTelemetry's wire format over HTTP, as JSON: what any collector takes. */

type Json = Readonly<Record<string, unknown>>;

export type Resource = { readonly serviceName: string; readonly version: string };

const nanos = (ms: number): string => `${BigInt(Math.round(ms * 1_000)) * 1_000n}`;

function attribute([key, value]: [string, string | number | boolean]): Json {
  if (typeof value === "string") return { key, value: { stringValue: value } };
  if (typeof value === "boolean") return { key, value: { boolValue: value } };
  return { key, value: Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value } };
}

const attributes = (given: Span["attributes"]): readonly Json[] => Object.entries(given).map(attribute);

function head({ serviceName, version }: Resource) {
  return {
    resource: { attributes: attributes({ "service.name": serviceName, "service.version": version }) },
    scope: { name: "corecoder", version },
  };
}

const kinds = { internal: 1, client: 3 } as const;

export function traceBody(spans: readonly Span[], resource: Resource): Json {
  const { resource: of, scope } = head(resource);
  const told = spans.map(({ kind, startMs, endMs, error, attributes: given, ...names }) => ({
    ...names,
    kind: kinds[kind],
    startTimeUnixNano: nanos(startMs),
    endTimeUnixNano: nanos(endMs),
    attributes: attributes(error === undefined ? given : { ...given, "error.type": error }),
    status: error === undefined ? {} : { code: 2, message: error },
  }));
  return { resourceSpans: [{ resource: of, scopeSpans: [{ scope, spans: told }] }] };
}

/** The conventions' own limits of their two histograms. */
const tokenBounds = [1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304];
const secondBounds = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];

type Measure = { readonly value: number; readonly attributes: Span["attributes"]; readonly span: Span };

/** How long operations took and how many tokens they used, from the same spans. */
export function metricBody(spans: readonly Span[], resource: Resource): Json {
  const { resource: of, scope } = head(resource);
  const durations = spans.map((span) => ({
    value: (span.endMs - span.startMs) / 1_000,
    attributes: { ...dimensionsOf(span), ...(span.error === undefined ? {} : { "error.type": span.error }) },
    span,
  }));
  const chats = spans.filter(({ attributes: given }) => given["gen_ai.operation.name"] === "chat");
  const tokens = chats.flatMap((span) =>
    (["input", "output"] as const).flatMap((type): Measure[] => {
      const value = span.attributes[`gen_ai.usage.${type}_tokens`];
      if (typeof value !== "number") return [];
      return [{ value, attributes: { ...dimensionsOf(span), "gen_ai.token.type": type }, span }];
    }),
  );
  const metrics = [
    histogram("gen_ai.client.operation.duration", "s", { bounds: secondBounds, measures: durations }),
    histogram("gen_ai.client.token.usage", "{token}", { bounds: tokenBounds, measures: tokens }),
  ];
  return { resourceMetrics: [{ resource: of, scopeMetrics: [{ scope, metrics }] }] };
}

const dimensions = ["gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.request.model", "gen_ai.tool.name"];

function dimensionsOf({ attributes: given }: Span): Span["attributes"] {
  return Object.fromEntries(Object.entries(given).filter(([key]) => dimensions.includes(key)));
}

type Observed = { readonly bounds: readonly number[]; readonly measures: readonly Measure[] };

function histogram(name: string, unit: string, { bounds, measures }: Observed): Json {
  const dataPoints = [...grouped(measures).values()].map((group) => {
    const counts = new Array<number>(bounds.length + 1).fill(0);
    for (const { value } of group) {
      const at = bounds.findIndex((bound) => value <= bound);
      const index = at < 0 ? bounds.length : at;
      counts[index] = (counts[index] ?? 0) + 1;
    }
    return {
      attributes: attributes(group[0]?.attributes ?? {}),
      startTimeUnixNano: nanos(Math.min(...group.map(({ span }) => span.startMs))),
      timeUnixNano: nanos(Math.max(...group.map(({ span }) => span.endMs))),
      count: String(group.length),
      sum: group.reduce((sum, { value }) => sum + value, 0),
      bucketCounts: counts.map(String),
      explicitBounds: bounds,
    };
  });
  // what one prompt adds, not what there is in all
  return { name, unit, histogram: { aggregationTemporality: 1, dataPoints } };
}

function grouped(measures: readonly Measure[]): Map<string, Measure[]> {
  const groups = new Map<string, Measure[]>();
  for (const measure of measures) {
    const key = JSON.stringify(measure.attributes);
    const group = groups.get(key);
    if (group) group.push(measure);
    else groups.set(key, [measure]);
  }
  return groups;
}

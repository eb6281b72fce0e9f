import { expect, it } from 'vitest';
import { collector, type SentSpan } from '../../support/collector.ts';
import { CNPJ, COMPANY } from './graphql-requests.ts';
import { type Listening, type Pair, pairOf, plainHeaders, plansOf, type Seen, type Sent } from './support.ts';

const sentOf = (own: Pair, path: string, body: unknown): Sent => ({
  path,
  body: JSON.stringify(body),
  headers: plainHeaders(own.short.app.key),
});

/** Plain requests, and others that are answered, refused and limited. */
const requestsOf = (own: Pair): readonly Sent[] => {
  const kyb = sentOf(own, '/v1/kyb', { identifier: CNPJ, country: 'BR' });
  const query = (text: string) => sentOf(own, '/graphql', { query: text });
  const company = query(COMPANY);
  return [kyb, kyb, company, company, company, query('{ __typename }'), query('{ __typename }'), query('{'), kyb, company, kyb];
};

async function answersOf({ send }: Listening, own: Pair): Promise<readonly Seen[]> {
  const seen: Seen[] = [];
  for (const sent of requestsOf(own)) seen.push(await send(sent));
  return seen;
}

/** Counts of requests, fields, executions and refusals. Those of batches and statements depend on when lists are loaded after the start. */
async function countsOf({ app }: Listening): Promise<readonly string[]> {
  const answer = await app.metrics?.inject('/metrics');
  const lines = answer?.body.split('\n') ?? [];
  return lines.filter((line) => /^quipu_(?:http|graphql|rate)_\w+(?:_count|_total)\{/.test(line)).toSorted();
}

it('the metrics of requests are equal on both paths, which metrics do not change', async () => {
  const own = await pairOf({ QUIPU_PLANS: plansOf({ requests: 5 }), QUIPU_METRICS_PORT: '0' });
  try {
    const [short, full] = await Promise.all([answersOf(own.short, own), answersOf(own.full, own)]);
    expect(short).toEqual(full);
    const counts = await countsOf(own.short);
    expect(counts).toEqual(await countsOf(own.full));
    expect(counts).toContain('quipu_http_request_seconds_count{route="POST /graphql",outcome="200"} 6');
    expect(counts.filter((line) => line.startsWith('quipu_rate_refusals_total'))).not.toEqual([]);
    expect(own.short.fullPaths()).toBe(4); // the first request of the key, the two texts before their validation, and the syntax error
  } finally {
    await own.close();
  }
});

it('the traces of requests are equal on both paths, and named on their log lines', async () => {
  const { url, spans } = await collector();
  const own = await pairOf({ QUIPU_PLANS: plansOf({}), OTEL_EXPORTER_OTLP_ENDPOINT: url });
  const [short, full] = await Promise.all([answersOf(own.short, own), answersOf(own.full, own)]).finally(() => own.close());
  /** Names of the spans of a request, each with those above it. */
  const trailsOf = ({ lines }: Seen): readonly string[] => {
    const traceId = lines.find(({ msg }) => msg === 'answered')?.traceId;
    const trace = spans.filter((span) => span.traceId === traceId);
    const trailOf = (span: SentSpan): string => {
      const parent = trace.find(({ spanId }) => spanId === span.parentSpanId);
      return parent ? `${trailOf(parent)} > ${span.name}` : span.name;
    };
    return trace.map(trailOf).toSorted();
  };
  const trails = short?.map(trailsOf);
  expect(trails).toEqual(full?.map(trailsOf));
  expect(own.short.fullPaths()).toBe(4);
  expect(trails?.[4]).toContain('request POST /graphql > field Query.company');
});

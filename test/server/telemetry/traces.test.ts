import { expect, it } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { testApp } from '../../support/app.ts';
import { collector, type SentSpan } from '../../support/collector.ts';

const { cnpj } = companyByScenario('clean');
const QUERY = `{ company(identifier: "${cnpj}") { kyb { companyName } debarment { isDebarred } } }`;

it('traces a request from HTTP through fields, batches and sources to SQL, and names the trace on its log line', async () => {
  const { url, spans, bodies } = await collector();
  const app = await testApp({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: url } });
  expect((await app.query(QUERY)).body.errors).toBeUndefined();
  await app.close();

  const root = spans.find(({ name }) => name === 'request POST /graphql');
  const trace = spans.filter(({ traceId }) => traceId === root?.traceId);
  const parentOf = ({ parentSpanId }: SentSpan) => trace.find(({ spanId }) => spanId === parentSpanId);
  const trailOf = (name: string): readonly string[] => {
    const trail: string[] = [];
    for (let span = trace.find((one) => one.name === name); span; span = parentOf(span)) trail.push(span.name);
    return trail;
  };
  expect(trailOf('call receita_federal')).toEqual([
    'call receita_federal',
    'batch receita_taxpayer',
    'field Company.kyb',
    'request POST /graphql',
  ]);
  expect(trailOf('batch CEIS')).toContain('field Company.debarment');
  expect(trace.map(({ name }) => name)).toContain('sql select');
  expect(app.lines).toContainEqual(expect.objectContaining({ msg: 'answered', traceId: root?.traceId, reqId: expect.any(String) }));
  expect(bodies.join('')).not.toMatch(new RegExp(`${cnpj}|${app.key}|sk_`));
});

it('answers and shuts down in time while the collector is unreachable', async () => {
  const app = await testApp({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' } });
  expect((await app.query(QUERY)).status).toBe(200);
  await app.close();
});

it('samples requests by the configured ratio', async () => {
  const { url, spans } = await collector();
  const app = await testApp({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_TRACES_SAMPLER_ARG: '0' } });
  expect((await app.query(QUERY)).status).toBe(200);
  await app.close();
  expect(spans).toEqual([]);
});

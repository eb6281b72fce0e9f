import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { type TestApp, testApp } from '../../support/app.ts';

const { cnpj } = companyByScenario('clean');
let app: TestApp;
let text = '';
beforeAll(async () => {
  const plans = JSON.stringify({ standard: { kyb: { rate: { perMinute: 1, burst: 3 } } } });
  app = await testApp({ env: { QUIPU_METRICS_PORT: '0', QUIPU_ROLES: 'server,worker', QUIPU_PLANS: plans } });
  for (let n = 0; n < 4; n += 1) await app.post('/v1/kyb', { identifier: cnpj, country: 'BR' });
  await app.query(`{ company(identifier: "${cnpj}") { owners { owners { name } } } }`);
  await app.server.inject('/v1/nothing/12345678909');
  text = (await app.metrics?.inject('/metrics'))?.body ?? '';
});
afterAll(() => app.close());

describe('the metrics', () => {
  it.each([
    'quipu_http_request_seconds_count{route="POST /v1/kyb",outcome="200"} 3',
    'quipu_http_request_seconds_count{route="POST /v1/kyb",outcome="429"} 1',
    'quipu_http_request_seconds_count{route="GET unmatched",outcome="404"} 1',
    'quipu_graphql_field_seconds_count{field="Company.owners",outcome="ok"} 1',
    'quipu_graphql_executions_total{outcome="compiled"} 1',
    'quipu_loader_batch_seconds_count{loader="receita_taxpayer",outcome="ok"} 1',
    'quipu_loader_batch_keys_bucket{le="1",loader="receita_taxpayer"} 1',
    'quipu_loader_answers_total{loader="receita_taxpayer",outcome="miss"} 1',
    'quipu_loader_answers_total{loader="receita_taxpayer",outcome="hit"} 3',
    'quipu_source_call_seconds_count{source="receita_federal",outcome="ok"} 2', // a company, and the date of the registry's copy
    'quipu_usage_record_seconds_count{module="kyb",outcome="ok"} 3',
    'quipu_rate_refusals_total{module="kyb"} 1',
    'quipu_source_usable{source="receita_federal"} 1',
    'quipu_source_circuit_open{source="receita_federal"} 0',
    'quipu_webhook_oldest_waiting_seconds 0',
  ])('hold %s', (line) => {
    expect(text.split('\n')).toContain(line);
  });

  it('have the age of every list and the jobs in the queue', () => {
    expect(text).toMatch(/^quipu_list_age_seconds\{source="CEIS"\} \d/m);
    expect(text).toMatch(/^# TYPE quipu_jobs_waiting gauge$/m);
    expect(text).toMatch(/^quipu_sql_seconds_count\{statement="select",outcome="ok"\} \d/m);
  });

  it('PR-02 have no key, no company and no part of a URL', () => {
    expect(text).not.toMatch(new RegExp(`sk_|${cnpj}|12345678909`));
  });
});

describe('the dashboard', () => {
  const file = path.resolve(import.meta.dirname, '../../../docs/grafana-dashboard.json');

  it('queries only existing metrics, and each of Quipu’s at least once', () => {
    const asked = new Set(readFileSync(file, 'utf8').match(/quipu_\w+/g));
    const typed = [...text.matchAll(/^# TYPE (quipu_\w+) (\w+)$/gm)];
    const names = typed.flatMap(([, name = '', type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
    );
    expect([...asked].filter((name) => !names.includes(name))).toEqual([]);
    expect(typed.map(([, name = '']) => name).filter((name) => ![...asked].some((one) => one.startsWith(name)))).toEqual([]);
  });
});

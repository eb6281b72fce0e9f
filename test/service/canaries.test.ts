import { expect, it, onTestFinished } from 'vitest';
import { ceisRows, cnepRows } from '../../sandbox/upstreams/debarment/rows.ts';
import { laborRows } from '../../sandbox/upstreams/trabalho-escravo.ts';
import { madeUpCpf } from '../../sandbox/world/brazil/company.ts';
import { companies } from '../../sandbox/world/brazil/world.ts';
import { publishChanges, subscribe } from '../modules/monitor/api-requests.ts';
import { testApp } from '../support/app.ts';
import { collector } from '../support/collector.ts';
import { dumpDatabase } from '../support/dump.ts';

const MAIL = 'canary.person@canary-mail.example';
const CPF = madeUpCpf(123_456_789);
const DOTTED = CPF.replace(/(\d{3})(\d{3})(\d{3})(\d{2})/, '$1.$2.$3-$4');
const PERSON = 'Fulana Canária de Tal';
const CANARIES = [MAIL, CPF, DOTTED, PERSON];

const PATHS = [
  'kyb',
  'owners',
  'debarment',
  'labor',
  'sanctions',
  'compliance-br',
  'enrich',
  'tax-health',
  'tech',
  'validate/email',
  'monitor/subscriptions',
];

it('PR-01 PR-02 leaves no CPF, key, address, person or secret in logs, metrics, traces and database', async () => {
  const otlp = await collector();
  const app = await testApp({ env: { QUIPU_METRICS_PORT: '0', OTEL_EXPORTER_OTLP_ENDPOINT: otlp.url, QUIPU_ROLES: 'server,worker' } });
  let open = true;
  onTestFinished(async () => void (open && (await app.close())));
  const send = (method: 'GET' | 'POST', url: string, payload?: object, headers = {}) =>
    app.server.inject({ method, url, headers: { 'x-api-key': app.key, ...headers }, ...(payload && { payload }) });

  for (const path of PATHS)
    for (const canary of CANARIES) {
      const all = {
        identifier: canary,
        cnpj: canary,
        country: 'BR',
        email: canary,
        domain: canary,
        identifiers: [canary],
        webhook_url: canary,
      };
      await send('POST', `/v1/${path}`, all, { 'idempotency-key': `${path}-${CANARIES.indexOf(canary)}` });
      await send('POST', `/v1/${path}/${encodeURIComponent(canary)}`, { [canary]: canary });
      await send('GET', `/v1/${path}?${encodeURIComponent(canary)}=${encodeURIComponent(canary)}`);
    }
  for (const canary of CANARIES) {
    const text = JSON.stringify(canary);
    await send('POST', '/graphql', { query: `{ company(identifier: ${text}) { id } validateEmail(email: ${text}) { score } }` });
    await send('POST', '/graphql', { query: 'query ($id: ID!) { node(id: $id) { id } }', variables: { id: canary } });
    await send('POST', '/graphql', { query: `{ ${canary} `, operationName: canary });
    await send('GET', `/graphql?query=${encodeURIComponent(`{ company(identifier: ${text}) { id } }`)}`);
    await send(
      'POST',
      '/v1/kyb',
      {},
      { 'x-api-key': canary, 'idempotency-key': canary, 'user-agent': canary, 'x-request-id': canary, cookie: canary },
    );
  }
  await send('GET', `/v1/usage?api_key=${app.key}`);
  await send('POST', `/v1/kyb?x=${app.key}`, {});

  const owners = await Promise.all(companies.slice(0, 12).map(({ cnpj }) => app.post('/v1/owners', { identifier: cnpj, country: 'BR' })));
  const names = owners.flatMap(({ body }) => (body.owners ?? []).map(({ name }: { name: string }) => name));
  expect(names.length).toBeGreaterThan(5);
  // Public lists name people, and those names are stored.
  const listed = new Set([...ceisRows.map(({ name }) => name), ...cnepRows.map(({ name }) => name), ...laborRows.flat()]);
  const people = names.filter((name: string) => !listed.has(name) && !companies.some((company) => company.name === name));
  expect(people.length).toBeGreaterThan(3);

  const { secret, identifiers } = await subscribe(app);
  // The partners of a watched company are compared with those of the next check, so their names are stored while it is watched.
  const watched = await Promise.all(identifiers.map((identifier) => app.post('/v1/owners', { identifier, country: 'BR' })));
  const partners = new Set(watched.flatMap(({ body }) => (body.owners ?? []).map(({ name }: { name: string }) => name)));
  expect(people.some((name) => !partners.has(name))).toBe(true);
  expect(secret).toMatch(/^whsec_/);
  await publishChanges(app, [companies[0]?.cnpj ?? '']);
  await expect.poll(async () => (await app.db('delivery_attempts').count())[0]?.count, { timeout: 15_000 }).not.toBe('0');

  const metrics = (await app.metrics?.inject('/metrics'))?.body ?? '';
  const dump = await dumpDatabase(app.db);
  await app.close().finally(() => {
    open = false;
  });
  const logs = app.lines.map((line) => JSON.stringify(line)).join('\n');
  const secrets = [app.key, secret, MAIL, CPF, DOTTED, PERSON, ...people];
  for (const [where, text] of Object.entries({ logs, metrics, traces: otlp.bodies.join('\n'), dump })) {
    const found = secrets.filter((one) => text.includes(one) && !(where === 'dump' && partners.has(one)));
    expect([where, found]).toEqual([where, []]);
  }
  expect(metrics + otlp.bodies.join('')).not.toMatch(/sk_\w{8}|whsec_/);
}, 60_000);

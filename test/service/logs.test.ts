import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { parseLogLine } from '../support/strict-json.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ env: { QUIPU_ROLES: 'server,worker' } });
});
afterAll(() => app.close());

describe('a log line', () => {
  it.each([
    ['{"a":1,"b":{"a":1}}', true],
    ['{"a":1,"b":"{\\"a\\":1,\\"a\\":2}"}', true],
    ['{"a":1,"b":2,"a":3}', false],
    ['{"a":[{"b":1},{"b":1,"b":2}]}', false],
    ['["a"]', false],
    ['{"a":1} trailing', false],
  ])('%s is judged as valid: %s', (line, valid) => {
    if (valid) expect(parseLogLine(line)).toBeTypeOf('object');
    else expect(() => parseLogLine(line)).toThrow();
  });

  // `memoryLog` reads every line strictly: a key that is there twice is an uncaught error, which fails the file.
  it('names its source once when the files of an index cannot be read', async () => {
    for (const source of ['mercadopublico', 'mercadopublico_bulk', 'pncp']) app.sandbox?.faults.set(source, { mode: 'status_500' });
    for (const copy of app.sources.copies.filter(({ name }) => /mercadopublico|pncp/.test(name))) await copy.sync();
    app.sandbox?.faults.clear();
    const failures = app.lines.filter(({ level }) => Number(level) >= 40);
    expect(failures.length).toBeGreaterThan(0);
    for (const line of failures) expect(line).toMatchObject({ source: expect.any(String), msg: expect.any(String) });
  });

  it('of a failed webhook says so in one line without a stack', async () => {
    const { cnpj } = companyByScenario('clean');
    const monitor = { identifiers: [cnpj], country: 'BR', webhook_url: 'https://127.0.0.1:1/hook' };
    const created = await app.post('/v1/monitor/subscriptions', monitor);
    expect(created.status).toBe(200);
    const id = `mon_${created.body.subscription_id.replace(/^[a-z]+_/, '')}`;
    const sent = await app.query('mutation ($id: ID!) { testMonitor(input: { id: $id }) { __typename } }', { id });
    expect(sent.body.errors).toBeUndefined();
    await expect.poll(() => app.lines.find(({ host }) => host === '127.0.0.1'), { timeout: 15_000 }).toBeDefined();
    const { level: _level, time: _time, ...line } = app.lines.find(({ host }) => host === '127.0.0.1') ?? {};
    expect(line).toEqual({ kind: 'connection', host: '127.0.0.1', why: expect.any(String), msg: 'a webhook was not delivered' });
  });
});

import { describe, expect, it, onTestFinished } from 'vitest';
import { companyByScenario } from '../../src/sandbox/world/brazil/world.ts';
import { testDb } from '../support/db.ts';
import { hasPooler, testPooler } from '../support/pooler.ts';
import { dataFolder, run } from '../support/process.ts';

const KEY = 'sk_of_a_service_behind_a_pooler';

/** A database, and PgBouncer in front of it. */
async function setup() {
  const db = await testDb();
  onTestFinished(() => db.close());
  return { db, pooler: await testPooler(db.url) };
}

const start = async (env: Readonly<Record<string, string>>) =>
  run('src/main.ts', [], { PORT: '0', QUIPU_DATA_DIR: await dataFolder(), LOG_LEVEL: 'warn', QUIPU_BOOTSTRAP_KEY: KEY, ...env });

describe.skipIf(!hasPooler)('a connection pooler in transaction mode', () => {
  it('is refused at the start as the only address, with a sentence that names the setting', async () => {
    const { pooler } = await setup();
    const service = await start({ DATABASE_URL: pooler.url });
    expect(await service.ended).toBe(1);
    expect(service.err()).toMatch(
      /DATABASE_URL: this is a connection pooler\. .*set DATABASE_DIRECT_URL to the address of Postgres itself\./,
    );
  });

  it('is refused as the direct address', async () => {
    const { pooler } = await setup();
    const service = await start({ DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: pooler.url });
    expect(await service.ended).toBe(1);
    expect(service.err()).toMatch(/DATABASE_DIRECT_URL: this is a connection pooler\./);
  });

  it('carries the requests, while lists, jobs and notifications use the direct address', async () => {
    const { db, pooler } = await setup();
    const service = await start({ DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: db.url, QUIPU_MONITOR_INTERVAL: '1s' });
    const [, url = ''] = await service.printed(/answers at (\S+)/);
    const send = async (path: string, body?: object) => {
      const answer = await fetch(`${url}${path}`, {
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
        headers: { 'content-type': 'application/json', 'x-api-key': KEY },
      });
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    };
    const ready = () => send('/readyz').then(({ status }) => status);
    await expect.poll(ready, { timeout: 20_000 }).toBe(200);

    const { cnpj } = companyByScenario('clean');
    await expect
      .poll(() => send('/v1/compliance-br', { cnpj }), { timeout: 30_000 })
      .toMatchObject({ status: 200, body: { completeness: 'complete' } });
    const screening = await send('/v1/screenings', { identifiers: [cnpj] });
    expect(screening.status).toBe(200);
    await expect
      .poll(() => send(`/v1/screenings/${screening.body.screening_id}`).then(({ body }) => body.state), { timeout: 30_000 })
      .toBe('done');

    await pooler.kill();
    await expect.poll(ready, { timeout: 10_000 }).toBe(503);
    expect(await send('/v1/kyb', { identifier: cnpj, country: 'BR' })).toMatchObject({
      status: 503,
      body: { code: 'service_unavailable' },
    });
    await pooler.start();
    await expect.poll(ready, { timeout: 10_000 }).toBe(200);
    expect(service.out()).not.toMatch(/prepared statement|relation "incoming"/);
  }, 120_000);
});

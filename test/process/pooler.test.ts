import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { needsPooler, type PoolerTarget, pooledDb } from '../support/pooler.ts';
import { dataFolder, run } from '../support/process.ts';

const KEY = 'sk_of_a_service_behind_a_pooler';

const start = async (env: Readonly<Record<string, string>>) =>
  run('src/main.ts', [], { PORT: '0', QUIPU_DATA_DIR: await dataFolder(), LOG_LEVEL: 'warn', QUIPU_BOOTSTRAP_KEY: KEY, ...env });

/** The package has no types. */
const { load } = createRequire(import.meta.url)('js-yaml') as Record<'load', (text: string) => unknown>;

/** pgbouncer.ini of deploy/compose.yml, for addresses of this machine. */
async function settingsOfCompose({ port, host, postgresPort, database, user, password, dir }: PoolerTarget): Promise<string> {
  const compose = load(await readFile(path.resolve(import.meta.dirname, '../../deploy/compose.yml'), 'utf8')) as {
    readonly configs: Readonly<Record<'pgbouncer' | 'pgbouncer-users', { readonly content: string }>>;
  };
  const { pgbouncer, 'pgbouncer-users': users } = compose.configs;
  const file = path.join(dir, 'users.txt');
  await writeFile(file, users.content.replace('"quipu"', `"${user}"`).replace(/\$\{POSTGRES_PASSWORD[^}]*\}/, password));
  return pgbouncer.content
    .replace('quipu = host=postgres port=5432', `${database} = host=${host} port=${postgresPort}`)
    .replace('listen_port = 6432', `listen_port = ${port}`)
    .replace('/etc/pgbouncer/users.txt', file);
}

describe('a connection pooler in transaction mode', needsPooler, () => {
  it('as deploy/compose.yml configures it, demands the password and limits statements to 4 s', async () => {
    const { db, pooler } = await pooledDb(settingsOfCompose);
    const { username, password } = new URL(db.url);
    const connect = async (secret: string) => {
      const client = new pg.Client(pooler.url.replace('anyone@', `${username}:${secret}@`));
      await client.connect();
      onTestFinished(() => client.end());
      return client;
    };
    await expect(connect('wrong')).rejects.toThrow(/SASL authentication failed|password authentication failed/);
    const { rows } = await (await connect(password)).query('SHOW statement_timeout');
    expect(rows).toEqual([{ statement_timeout: '4s' }]);
  });

  it('is refused at the start as the only address, with a sentence that names the setting', async () => {
    const { pooler } = await pooledDb();
    const service = await start({ DATABASE_URL: pooler.url });
    expect(await service.ended).toBe(1);
    expect(service.err()).toMatch(
      /DATABASE_URL: this is a connection pooler\. .*set DATABASE_DIRECT_URL to the address of Postgres itself\./,
    );
  });

  it('is refused as the direct address', async () => {
    const { pooler } = await pooledDb();
    const service = await start({ DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: pooler.url });
    expect(await service.ended).toBe(1);
    expect(service.err()).toMatch(/DATABASE_DIRECT_URL: this is a connection pooler\./);
  });

  it('carries the requests, while lists, jobs and notifications use the direct address', async () => {
    const { db, pooler } = await pooledDb();
    const service = await start({ DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: db.url, QUIPU_MONITOR_INTERVAL: '1s' });
    const [, url = ''] = await service.printed(/answers at (\S+)/);
    const send = async (path: string, body?: object) => {
      const answer = await fetch(`${url}${path}`, {
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
        headers: { 'content-type': 'application/json', 'x-api-key': KEY },
      });
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    };
    const ready = () => send('/readyz').then(({ body }) => body.status);
    await expect.poll(ready, { timeout: 20_000 }).toBe('ready');

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
    await expect.poll(ready, { timeout: 10_000 }).toBe('degraded');
    expect(await send('/v1/usage')).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });
    await pooler.start();
    await expect.poll(ready, { timeout: 10_000 }).toBe('ready');
    expect(service.out()).not.toMatch(/prepared statement|relation "incoming"/);
  }, 120_000);
});

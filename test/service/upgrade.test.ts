import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { misfitFindings } from '../../src/cli/misfit.ts';
import { addressSpecs, readConfig } from '../../src/config.ts';
import { type TestAppOptions, testApp } from '../support/app.ts';
import { type TestDb, testDb } from '../support/db.ts';
import { startUpstream } from '../support/upstream.ts';

/** Starts on data that another version, or another configuration, has left. */

let db: TestDb;
beforeEach(async () => {
  db = await testDb();
  return () => db.close();
});

/** The state of a service on the database of the test, which is closed at the end of the test. */
async function start(options: TestAppOptions = {}) {
  const app = await testApp({ db, listsTried: false, ...options });
  onTestFinished(() => app.close());
  await expect.poll(async () => (await app.server.inject('/readyz')).json().checks.lists_tried, { timeout: 30_000 }).toBe(true);
  await expect.poll(async () => (await app.server.inject('/readyz')).json().checks.database).toBe(true);
  const ready = await app.server.inject('/readyz');
  const { checks, details }: { checks: object; details: string[] } = ready.json();
  return {
    app,
    status: ready.statusCode,
    checks,
    details,
    errors: app.lines.filter(({ level }) => Number(level) >= 50).map(({ msg }) => msg),
  };
}

const withSecret = (secret: string) => ({ env: { QUIPU_KEY_SECRET: secret } });
const configWith = (secret: string) => readConfig({ DATABASE_URL: db.url, QUIPU_KEY_SECRET: secret });
const FIRST = 'the first secret of this database';
const SECOND = 'another secret of this database';
const kyb = { identifier: companyByScenario('clean').cnpj, country: 'BR' };

describe('a start with another key secret', () => {
  it('says why no key works, in the log, in /readyz and in doctor, and nothing once the secret is back', async () => {
    const { app: first, details } = await start(withSecret(FIRST));
    expect(details.join()).not.toContain('secret');

    const other = await start(withSecret(SECOND));
    expect((await other.app.post('/v1/kyb', kyb, first.key)).status).toBe(403);
    const sentence = expect.stringMatching(/made with another key secret.*restore QUIPU_KEY_SECRET or QUIPU_DATA_DIR\/key\.secret/);
    expect([other.details, other.errors]).toEqual([expect.arrayContaining([sentence]), [sentence]]);
    expect(await misfitFindings(other.app.db, configWith(SECOND))).toMatchObject([
      { check: 'key secret', state: 'problem', advice: expect.stringContaining('restore QUIPU_KEY_SECRET') },
    ]);

    const again = await start(withSecret(FIRST));
    expect([again.details.join(), again.errors]).toEqual([expect.not.stringContaining('secret'), []]);
    expect((await again.app.post('/v1/kyb', kyb, first.key)).status).toBe(200);
    expect(await misfitFindings(again.app.db, configWith(FIRST))).toEqual([]);
  });

  it('takes the new secret for its own while the database has no key', async () => {
    const { app } = await start(withSecret(FIRST));
    await app.db.raw('TRUNCATE api_keys CASCADE');
    expect((await start(withSecret(SECOND))).errors).toEqual([]);
  });
});

describe('a start on a schema that a newer version has migrated', () => {
  const migrateFurther = ({ db }: { readonly db: TestDb['knex'] }) =>
    db('knex_migrations').insert({ name: '29990101000000_from_the_future', batch: 2, migration_time: new Date() });

  it('is not ready and says what to do, unless the setting accepts it', async () => {
    const { app: before } = await start();
    await migrateFurther(before);
    expect((await before.server.inject('/readyz')).json().checks.migrations).toBe(true); // it ran before the upgrade

    const after = await start();
    const sentence = expect.stringMatching(/does not know \(29990101000000_from_the_future\): start the newer version, restore the backup/);
    expect([after.status, after.checks, after.details]).toEqual([
      503,
      expect.objectContaining({ database: true, migrations: false }),
      expect.arrayContaining([sentence]),
    ]);
    expect(after.errors).toEqual([sentence]);
    expect(await misfitFindings(after.app.db, configWith(FIRST))).toContainEqual(
      expect.objectContaining({ check: 'schema', state: 'problem', advice: expect.stringContaining('start the newer version') }),
    );

    const accepting = await start({ env: { QUIPU_NEWER_SCHEMA: 'accept' } });
    expect([accepting.status, accepting.checks]).toEqual([200, expect.objectContaining({ migrations: true })]);
  });
});

describe('a first start whose publishers do not answer', () => {
  let publisher: Awaited<ReturnType<typeof startUpstream>>;
  beforeAll(async () => {
    publisher = await startUpstream(() => ({ status: 503, body: '' }));
  });
  afterAll(() => publisher.close());

  it('says that no list is loaded, and speaks of no previous version', async () => {
    const given = [...addressSpecs().keys()].map((name) => [name, publisher.url]);
    const { app, status, details } = await start({ env: { QUIPU_SOURCES: 'live', ...Object.fromEntries(given) }, listsTried: true });
    expect([status, details]).toEqual([200, [expect.stringMatching(/^0 of \d+ lists and copies loaded\.$/)]]);
    const messages = app.lines.map(({ msg }) => String(msg));
    expect(messages).toContain('list not loaded; it has no version yet, and its checks fail');
    expect(messages.filter((message) => message.includes('previous version'))).toEqual([]);
  });
});

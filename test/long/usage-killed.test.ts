import { randomInt, randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../sandbox/server/server.ts';
import { simulators } from '../../sandbox/upstreams/index.ts';
import { companies } from '../../sandbox/world/brazil/world.ts';
import { createKeys } from '../../src/auth/api-keys/keys.ts';
import { createDb } from '../../src/db/knex.ts';
import { monthOf } from '../../src/domain/time.ts';
import { wrongCounters } from '../../src/metering/store/usage-counters.ts';
import { addressesOn, sandboxSettings } from '../support/app-with-faults.ts';
import { startCluster } from '../support/cluster.ts';
import { type TestDb, testDb } from '../support/db.ts';
import { memoryLog } from '../support/log.ts';
import { OWN } from '../support/own-numbers.ts';
import { dataFolder } from '../support/process.ts';
import { rounds } from '../support/rounds.ts';
import { journalOfTest, KEY_SECRET, recordingProcess } from '../support/usage-journal.ts';

/** Three processes of the service share a database. The test kills processes and database connections. */

const KEY = 'sk_an_operator_of_the_killed_processes';
const CHECKS = OWN['MT-04'].checks;
const CLIENTS = 32;
/** Time after which each living process has drained its journal. */
const DRAIN_MS = 2_000;
/** The journal of a killed process is drained by the process that replaces it. */
const DRAINED = { timeout: 40_000, interval: 200 };
const cnpjs = companies.slice(0, 20).map(({ cnpj }) => cnpj);

let db: TestDb;
let upstreams: Sandbox;
beforeAll(async () => {
  db = await testDb();
  upstreams = await startSandbox({ simulators, log: memoryLog().log });
});
afterAll(async () => {
  await upstreams.close();
  await db.close();
});

describe('usage under kill -9', () => {
  it('MT-04 MT-07 contains each answered check once, and at most as many other checks as got no answer', async () => {
    const all = await startThree();
    const keys = createKeys({ db: db.knex, now: Date.now, secret: KEY_SECRET });
    for (let round = 0; round < rounds(OWN['MT-07'].rounds); round += 1) {
      let left = CHECKS;
      /** Each client has its own key, so that a check that is lost and another one that is counted twice do not hide each other. */
      const created = await Promise.all(Array.from({ length: CLIENTS }, () => keys.create({ name: 'client', modules: ['compliance_br'] })));
      const clients = created.map(async ({ key, id }) => {
        const client = { id, answered: 0, unanswered: 0 };
        while (left > 0) {
          left -= 1;
          const answer = await check(all.url(randomInt(3)), { cnpj: cnpjs[left % cnpjs.length] }, { 'x-api-key': key });
          if (answer?.status === 200) client.answered += 1;
          else {
            client.unanswered += 1;
            await sleep(20);
          }
        }
        return client;
      });
      const trouble = (async () => {
        await sleep(randomInt(100, 1_000));
        if (round % 3 === 2) await cutConnections();
        else await all.killAndRestart(round % 3);
      })();
      const [settled] = await Promise.all([Promise.all(clients), trouble]);

      const wrong = async () => {
        const rows: readonly { key_id: string; used: string }[] = await db
          .knex('usage_events')
          .select('key_id')
          .sum({ used: 'quantity' })
          .groupBy('key_id');
        const used = new Map(rows.map((row) => [row.key_id, Number(row.used)]));
        return settled.filter(({ id, answered, unanswered }) => {
          const counted = used.get(id) ?? 0;
          return counted < answered || counted > answered + unanswered;
        });
      };
      expect(settled.reduce((sum, { answered }) => sum + answered, 0)).toBeGreaterThan(CHECKS / 2);
      await expect.poll(wrong, DRAINED).toEqual([]);
      await sleep(DRAIN_MS); // what was counted without an answer
      expect(await wrong()).toEqual([]);
      expect(await wrongCounters(db.knex, [monthOf(Date.now())])).toEqual([]);
    }
  }, 1_200_000);

  it('MT-04 MT-07 contains nothing twice when a process is killed between the commit of a drain and the deletion of its file', async () => {
    const dir = await dataFolder();
    for (let round = 0; round < rounds(OWN['MT-07'].rounds); round += 1) {
      const keyId = randomUUID();
      const child = await recordingProcess({ dir, url: db.url, keyId, count: CHECKS, isKilledAfterCommit: true });
      expect(await child.ended).toBe('SIGKILL');
      const used = async () => Number((await db.knex('usage_events').where({ key_id: keyId }).sum({ n: 'quantity' }).first())?.n ?? 0);
      expect(await used()).toBe(CHECKS);
      const other = await journalOfTest(db.knex, { dir });
      await other.drain();
      await other.close();
      expect(await used()).toBe(CHECKS);
      expect((await readdir(dir, { recursive: true })).filter((name) => name.endsWith('.journal'))).toEqual([]);
      expect(await wrongCounters(db.knex, [monthOf(Date.now()), '2026-11'])).toEqual([]);
    }
  }, 300_000);

  it('MT-11 contains repeats under one Idempotency-Key once, and they get one answer', async () => {
    const all = await startThree();
    const before = (await countedIds()).length;
    const keys = Array.from({ length: rounds(1_000) }, () => randomUUID());
    const answers = new Map<string, string[]>(keys.map((key) => [key, []]));
    let done = false;
    const killer = (async () => {
      for (let i = 0; !done; i += 1) {
        await sleep(randomInt(500, 3_000));
        if (!done) await all.killAndRestart(i % 3);
      }
    })();
    /** Repeats a request until its answer is 200. */
    const insist = async (key: string, i: number): Promise<void> => {
      for (;;) {
        const answer = await check(all.url(randomInt(3)), { cnpj: cnpjs[i % cnpjs.length] }, { 'idempotency-key': key });
        if (answer?.status === 200) return void answers.get(key)?.push(answer.text);
        expect([undefined, 409, 503]).toContain(answer?.status);
        await sleep(randomInt(20, 200));
      }
    };
    const REPEATS = 50;
    const queue = [...keys.entries()];
    const clients = Array.from({ length: 4 }, async () => {
      for (let next = queue.shift(); next; next = queue.shift()) {
        const [i, key] = next;
        await Promise.all(Array.from({ length: REPEATS }, () => insist(key, i)));
      }
    });
    await Promise.all(clients);
    done = true;
    await killer;

    expect([...answers.values()].filter((texts) => texts.length !== REPEATS || new Set(texts).size !== 1)).toEqual([]);
    await expect.poll(async () => (await countedIds()).length - before, DRAINED).toBe(keys.length);
    await sleep(DRAIN_MS);
    expect((await countedIds()).length - before).toBe(keys.length);
    expect(await wrongCounters(db.knex, [monthOf(Date.now())])).toEqual([]);
  }, 1_800_000);
});

/** Asks a second time when the connection was cut together with those of the service. */
async function countedIds(): Promise<string[]> {
  const ids = () => db.knex('usage_events').pluck('request_id');
  return ids().catch(() => ids());
}

/** A check; null if the connection is lost before the answer is complete. */
async function check(url: string, body: object, headers: Readonly<Record<string, string>> = {}) {
  try {
    const answer = await fetch(`${url}/v1/compliance-br`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': KEY, ...headers },
      body: JSON.stringify(body),
    });
    return { status: answer.status, requestId: answer.headers.get('x-request-id') ?? '', text: await answer.text() };
  } catch {
    return null;
  }
}

/** Terminates all database connections, as a restart of Postgres does. */
async function cutConnections(): Promise<void> {
  const surgeon = createDb(db.url, { poolMax: 1 });
  await surgeon.raw(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND usename = current_user',
  );
  await surgeon.destroy();
}

/** Starts a cluster of three processes; a request to a killed process is lost. */
function startThree() {
  const env = {
    DATABASE_URL: db.url,
    QUIPU_KEY_SECRET: KEY_SECRET,
    PORT: '0',
    QUIPU_ROLES: 'server',
    QUIPU_SOURCES: 'live',
    QUIPU_BOOTSTRAP_KEY: KEY,
    QUIPU_PLANS: '{"standard":{"compliance_br":{"rate":null}}}',
    QUIPU_TENDERS_MONTHS: '1',
    LOG_LEVEL: 'silent',
    ...sandboxSettings(),
    ...addressesOn(upstreams.url),
  };
  return startCluster(3, env);
}

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Redis } from 'ioredis';
import type { Knex } from 'knex';
import { describe, expect, it, onTestFinished } from 'vitest';
import { COEFFICIENTS } from '../../bench/capacity/coefficients.ts';
import { postgresCpuMs } from '../../bench/harness/cpu-time.ts';
import { minhaReceitaJson } from '../../sandbox/upstreams/receita-federal/minha-receita.ts';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { SharedCache } from '../../src/cache/shared.ts';
import { HOUR_MS } from '../../src/domain/time.ts';
import { createLoaders } from '../../src/loaders/loader.ts';
import { receitaTaxpayerLoader } from '../../src/loaders/taxpayer.ts';
import { insertUsage } from '../../src/metering/store/usage-records.ts';
import { usageRecordOf } from '../../src/metering/usage-records.ts';
import { monitorService } from '../../src/modules/monitor/service/monitor.ts';
import { node, testRegistry } from '../modules/monitor/registry.ts';
import { brazilian, cnpj } from '../modules/monitor/support.ts';
import { receiver, setup } from '../modules/monitor/webhooks/support.ts';
import { memoryLog } from '../support/log.ts';
import { needsRedis, testRedis } from '../support/redis.ts';
import { rounds } from '../support/rounds.ts';
import { expectSimilar } from './load/similar.ts';

/** Fewer rows would measure the empty pages of indexes. */
const COMPANIES = Math.max(2_000, rounds(10_000));
/** Companies of a monitor: the most that one may have. */
const EACH = 500;
const HOSTS = 64;
const NEVER = new AbortController().signal;
const taxIds = Array.from({ length: COMPANIES }, (_, n) => cnpj(n));

/** Bytes of a table with its indexes, for each row. */
async function rowBytes(db: Knex, table: string): Promise<number> {
  const { rows } = await db.raw('SELECT pg_total_relation_size(?) / (SELECT count(*) FROM ??)::float8 AS bytes', [table, table]);
  return rows[0].bytes;
}

/** Process id of the database server. */
async function serverOf(db: Knex): Promise<number> {
  const folder = (await db.raw('SHOW data_directory')).rows[0].data_directory;
  return Number(readFileSync(path.join(folder, 'postmaster.pid'), 'utf8').split('\n')[0]);
}

/** What `work` costs the database server for each of `count` things: CPU time in ms, bytes of the write-ahead log. */
async function costOf(
  db: Knex,
  count: number,
  work: () => Promise<unknown>,
): Promise<{ readonly cpuMs: number; readonly walBytes: number }> {
  const walBytes = async () => Number((await db.raw("SELECT pg_current_wal_lsn() - '0/0' AS bytes")).rows[0].bytes);
  const server = await serverOf(db);
  const before = { cpuMs: postgresCpuMs(server), walBytes: await walBytes() };
  await work();
  return {
    cpuMs: (postgresCpuMs(server) - before.cpuMs) / count,
    walBytes: ((await walBytes()) - before.walBytes) / count,
  };
}

/** The registry says that the companies of `closed` are closed. Its records are those of the sandbox. */
async function registryOf(closed: ReadonlySet<string>) {
  const registry = await testRegistry();
  const open = companyByScenario('clean');
  registry.reply = (taxId) => ({
    body: {
      ...minhaReceitaJson({ ...open, cnpj: taxId }),
      ...(closed.has(taxId) && { situacao_cadastral: 8, descricao_situacao_cadastral: 'BAIXADA' }),
    },
  });
  return registry;
}

describe('the bytes of the capacity model', () => {
  it(`are those that ${COMPANIES} watched companies, their changes, deliveries and usage take in Postgres`, async () => {
    let now = Date.parse('2026-11-24T00:00:00Z');
    const { db, monitor, webhooks, keyId } = await setup({ now: () => now });
    const closed = new Set<string>();
    const { open } = node({ db, registry: await registryOf(closed), now: () => now, settings: { QUIPU_MONITOR_GUARD_SHARE: '1' } });
    const { host } = await receiver(undefined, { host: '0.0.0.0' });
    for (let start = 0; start < COMPANIES; start += EACH) {
      const url = `http://127.0.0.${1 + ((start / EACH) % HOSTS)}:${host.split(':')[1]}/hook`;
      await monitor(url, { taxIds: taxIds.slice(start, start + EACH) });
    }
    const sweep = async () => {
      now += 6 * HOUR_MS;
      await open(monitorService).checks.check('BR', NEVER);
      await db.raw('VACUUM ANALYZE watched_companies');
    };
    await sweep();
    const check = await costOf(db, COMPANIES, sweep);
    for (const taxId of taxIds.filter((_, n) => n % 2 === 0)) closed.add(taxId);
    const withChanges = await costOf(db, COMPANIES, sweep);
    await db.raw('ANALYZE');
    const isSent = async () => (await db('deliveries').where({ state: 'delivered' }).count({ count: '*' }))[0]?.count === `${closed.size}`;
    const attempt = await costOf(db, closed.size, async () => {
      await webhooks.sendDue();
      await expect.poll(isSent, { interval: 2_000, timeout: 300_000 }).toBe(true);
    });
    const newRecord = (n: number) =>
      usageRecordOf({ keyId, requestId: `req-${n.toString(36)}-0123456789abcdef`, startedAt: now + n }, 'kyb', '');
    const usage = await costOf(db, COMPANIES, async () => {
      for (let n = 0; n < COMPANIES; n += 4) await insertUsage(db, [n, n + 1, n + 2, n + 3].map(newRecord));
    });
    const bytes = {
      watchedCompany: await rowBytes(db, 'watched_companies'),
      monitorCompany: await rowBytes(db, 'monitor_companies'),
      change: await rowBytes(db, 'changes'),
      delivery: (await rowBytes(db, 'deliveries')) + (await rowBytes(db, 'delivery_attempts')),
      usage: await rowBytes(db, 'usage_events'),
    };
    console.log(JSON.stringify({ companies: COMPANIES, changes: closed.size, bytes, check, withChanges, attempt, usage }, null, 2));
    expectSimilar(bytes.watchedCompany, COEFFICIENTS.watchedCompanyBytes.value);
    expectSimilar(bytes.monitorCompany, COEFFICIENTS.monitorCompanyBytes.value);
    expectSimilar(bytes.change, COEFFICIENTS.changeBytes.value);
    expectSimilar(bytes.delivery, COEFFICIENTS.deliveryBytes.value);
    expectSimilar(bytes.usage, COEFFICIENTS.usageBytes.value);
  });

  it('are those that an answer of the Brazilian registry takes in Redis', needsRedis, async () => {
    const server = await testRedis();
    const client = new Redis(server.url);
    const { use } = node({ db: (await setup()).db, registry: await registryOf(new Set()) });
    const shared = new SharedCache({ redisUrl: server.url, origin: 'test', answerMs: 5_000, now: Date.now, log: memoryLog().log });
    onTestFinished(async () => {
      shared.close();
      client.disconnect();
      await server.close();
    });
    const loaders = createLoaders(use, Date.now, { shared });
    const load = loaders.scope();
    const usedBytes = async () => Number(/used_memory:(\d+)/.exec(await client.info('memory'))?.[1]);
    const storesAnswer = async () => {
      await loaders.scope({ since: Date.now() })(receitaTaxpayerLoader, brazilian(cnpj(COMPANIES))); // fetched again by each call
      return (await client.dbsize()) > 0;
    };
    await expect.poll(storesAnswer).toBe(true);
    const [bytesBefore, keysBefore] = [await usedBytes(), await client.dbsize()];
    for (let start = 0; start < COMPANIES; start += 64) {
      await Promise.all(taxIds.slice(start, start + 64).map((taxId) => load(receitaTaxpayerLoader, brazilian(taxId))));
    }
    await expect.poll(() => client.keys('*:lock')).toEqual([]);
    const keys = (await client.dbsize()) - keysBefore;
    const bytes = ((await usedBytes()) - bytesBefore) / keys;
    console.log(JSON.stringify({ keys, bytes }));
    expectSimilar(bytes, COEFFICIENTS.redisAnswerBytes.value);
  });
});

import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { companies } from '../../sandbox/world/brazil/world.ts';
import { createDb } from '../../src/db/knex.ts';
import { monthOf } from '../../src/domain/time.ts';
import { wrongCounters } from '../../src/metering/store/usage-counters.ts';
import { OWN } from '../support/own-numbers.ts';
import { ownPostgres } from '../support/own-postgres.ts';
import { receiver } from '../support/receiver.ts';
import { rounds } from '../support/rounds.ts';
import { startService } from './load/service.ts';

const KILLS = rounds(Math.max(OWN['MT-04'].postgresKills, OWN['DB-01'].postgresKills));
const CLIENTS = 16;
/** Requests of one round, 24 of 25 of which are checks. A key may request 30 test events a minute, so each round has a key of its own. */
const REQUESTS = Math.ceil((OWN['MT-04'].checks * 25) / 24);
const cnpjs = companies.filter(({ knownTo }) => knownTo === 'both').map(({ cnpj }) => cnpj);
const ENV = { QUIPU_ROLES: 'server,worker', QUIPU_OUTBOUND_ALLOW: '127.0.0.0/8' };

/** What the service acknowledged in one round. */
interface Acknowledged {
  /** Request ids of consolidated checks. */
  readonly checks: Set<string>;
  /** Content hashes of receipts by id. */
  readonly receipts: Map<string, string>;
  readonly monitors: Set<string>;
  /** webhook-ids of test events. */
  readonly events: Set<string>;
  /** Checks without an answer of 200: they may have been counted. */
  unanswered: number;
}

it(`MT-04 MT-07 DB-01 after each of ${KILLS} kills (kill -9) of Postgres, with fsync on, the service that runs on has every answered check once in its usage, and every receipt, monitor and test event that it acknowledged`, async () => {
  const postgres = await ownPostgres();
  const db = createDb(postgres.url);
  onTestFinished(() => db.destroy());
  const { processes, newKey } = await startService({ database: { url: postgres.url, knex: db }, env: ENV });
  const [{ url, child } = { url: '', child: null }] = processes;
  const hook = await receiver();
  expect((await db.raw('SHOW fsync')).rows).toEqual([{ fsync: 'on' }]);
  expect((await db.raw('SHOW synchronous_commit')).rows).toEqual([{ synchronous_commit: 'on' }]);

  for (let kill = 1; kill <= KILLS; kill += 1) {
    const { id: keyId, key } = await newKey();
    const send = async (path: string, body?: object) => {
      const headers = { 'x-api-key': key, 'content-type': 'application/json' };
      const answer = await fetch(url + path, body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers });
      return { status: answer.status, requestId: answer.headers.get('x-request-id') ?? '', body: await answer.json() };
    };
    const watch = () => send('/v1/monitor/subscriptions', { country: 'BR', identifiers: cnpjs.slice(0, 3), webhook_url: hook.url });
    const { subscription_id: watched } = (await watch()).body;
    const got: Acknowledged = { checks: new Set(), receipts: new Map(), monitors: new Set([watched]), events: new Set(), unanswered: 0 };

    let sent = 0;
    const client = async () => {
      while (sent < REQUESTS) {
        sent += 1;
        await sendOne(sent, send, watch, watched, got);
      }
    };
    const trouble = (async () => {
      await sleep(randomInt(50, 1_000));
      await postgres.kill();
      await postgres.restart();
    })();
    await Promise.all([...Array.from({ length: CLIENTS }, client), trouble]);

    await expect.poll(async () => (await send('/v1/usage')).status, { timeout: 60_000 }).toBe(200);
    expect(child?.exitCode).toBeNull();
    expect(got.checks.size).toBeGreaterThan(0);

    // The service drains its journal when Postgres is back, and voids the records of refused checks in the background.
    const extra = async () =>
      Number((await db('usage_events').where({ key_id: keyId }).sum({ n: 'quantity' }).first())?.n) - got.checks.size;
    await expect.poll(extra, { timeout: 30_000, interval: 500 }).toSatisfy((n) => n >= 0 && n <= got.unanswered);
    await sleep(2_000);
    expect(await extra()).toSatisfy((n) => n >= 0 && n <= got.unanswered);
    expect(await wrongCounters(db, [monthOf(Date.now())])).toEqual([]);

    const kept = new Map<string, string>();
    for (let after = 0, more = true; more; ) {
      const { evidence, has_more } = (await send(`/v1/evidence?after=${after}`)).body;
      for (const { receipt, content_hash } of evidence) {
        kept.set(receipt.id, content_hash);
        expect(receipt.sequence).toBe(++after); // no gap in the chain
      }
      more = has_more;
    }
    expect([...got.receipts].filter(([id, hash]) => kept.get(id) !== hash)).toEqual([]);

    for (const id of got.monitors) expect((await send(`/v1/monitor/subscriptions/${id}`)).status).toBe(200);

    const deliveries = async () => (await send(`/v1/monitor/subscriptions/${watched}/deliveries?limit=100`)).body.deliveries;
    const delivered = async () => {
      const settled = (await deliveries()).filter(({ status }: { status: string }) => status === 'delivered');
      return new Set(settled.map(({ event_id }: { event_id: string }) => event_id));
    };
    await expect.poll(async () => [...got.events].filter((id) => !received(hook, id)), { timeout: 90_000, interval: 500 }).toEqual([]);
    await expect.poll(async () => missing(got.events, await delivered()), { timeout: 90_000, interval: 500 }).toEqual([]);
  }
}, 3_600_000);

/** One request in a mix of checks, checks with a receipt, new monitors and test events. */
async function sendOne(
  nth: number,
  send: (path: string, body?: object) => Promise<{ readonly status: number; readonly requestId: string; readonly body: Body }>,
  watch: () => ReturnType<typeof send>,
  watched: string,
  got: Acknowledged,
): Promise<void> {
  const isCheck = nth % 25 !== 0;
  const answer = await (isCheck
    ? send('/v1/compliance-br', { cnpj: cnpjs[nth % cnpjs.length], receipt: nth % 5 === 0 })
    : nth % 50 === 0
      ? send(`/v1/monitor/subscriptions/${watched}/test`, {})
      : watch()
  ).catch(() => null); // the connection was closed
  if (answer?.status !== 200) {
    if (isCheck) got.unanswered += 1;
    await sleep(20);
    return;
  }
  const { evidence, subscription_id, event_id } = answer.body;
  if (isCheck) got.checks.add(answer.requestId);
  if (evidence) got.receipts.set(evidence.receipt.id, evidence.content_hash);
  if (subscription_id) got.monitors.add(subscription_id);
  if (event_id) got.events.add(event_id);
}

/** What the test reads of an answer. */
interface Body {
  readonly evidence?: { readonly receipt: { readonly id: string }; readonly content_hash: string };
  readonly subscription_id?: string;
  readonly event_id?: string;
}

const missing = (wanted: ReadonlySet<string>, there: ReadonlySet<unknown>) => [...wanted].filter((id) => !there.has(id));

const received = (hook: Awaited<ReturnType<typeof receiver>>, id: string): boolean =>
  hook.received.some(({ headers }) => headers['webhook-id'] === id);

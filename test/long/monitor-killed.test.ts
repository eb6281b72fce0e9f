import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'graphql-ws';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { type Sandbox, startSandbox } from '../../sandbox/server/server.ts';
import { simulators } from '../../sandbox/upstreams/index.ts';
import { toCursor } from '../../src/domain/paging.ts';
import { addressesOn, sandboxSettings } from '../support/app-with-faults.ts';
import { startCluster } from '../support/cluster.ts';
import { type TestDb, testDb } from '../support/db.ts';
import { memoryLog } from '../support/log.ts';
import { receiver } from '../support/receiver.ts';
import { rounds } from '../support/rounds.ts';
import { changeCompanies, createMonitor, perCompany, readLog } from './changed-companies.ts';

/** Two processes of the service share a database, an upstream and a receiver; the test kills them in turn. */

const KEY = 'sk_an_operator_of_the_killed_processes';

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

describe('monitoring under kill -9', () => {
  it('WH-06 MO-03 SB-08 logs every change once, sends each to the webhook, and gives a resuming subscriber each event once', async () => {
    const env = {
      DATABASE_URL: db.url,
      QUIPU_KEY_SECRET: 'a-secret-of-the-tests',
      PORT: '0',
      QUIPU_SOURCES: 'live',
      QUIPU_BOOTSTRAP_KEY: KEY,
      QUIPU_MONITOR_INTERVAL: '1s',
      QUIPU_MONITOR_GUARD_MIN: '100000',
      QUIPU_OUTBOUND_ALLOW: '127.0.0.0/8',
      QUIPU_TENDERS_MONTHS: '1',
      LOG_LEVEL: 'error',
      ...sandboxSettings(),
      ...addressesOn(upstreams.url),
    };
    const pair = await startCluster(2, env);
    const inbox = await receiver();
    const { secret } = await createMonitor(pair.url(0), KEY, inbox.url);
    const unverified = verifyOnArrival(inbox.received, secret);
    const subscriber = follow(() => pair.url(randomInt(2)));
    const script = changeCompanies(db.knex, upstreams.url);

    const kills = rounds(50);
    for (let i = 0; i < kills; i += 1) {
      await sleep(randomInt(200, 2_500));
      await pair.killAndRestart(i % 2);
    }

    const expected = await script.finish();
    const log = await readLog(db.knex);
    expect(perCompany(log)).toEqual(expected);
    expect(log.map(({ position }) => position)).toEqual(log.map((_, i) => i + 1));

    const ids = log.map(({ id }) => `evt_${id.replaceAll('-', '')}`);
    await expect
      .poll(() => ids.filter((id) => !inbox.received.some(({ headers }) => headers['webhook-id'] === id)), { timeout: 90_000 })
      .toEqual([]);
    expect(inbox.received.filter(({ headers }) => !ids.includes(String(headers['webhook-id'])))).toEqual([]);
    expect(unverified()).toEqual([]);
    const bodies = new Map(inbox.received.map(({ headers, body }) => [String(headers['webhook-id']), body]));
    expect(bodies.size).toBe(ids.length);
    for (const { headers, body } of inbox.received) expect(bodies.get(String(headers['webhook-id']))).toBe(body);

    await expect.poll(() => subscriber.seen.length, { timeout: 60_000 }).toBeGreaterThanOrEqual(ids.length);
    expect(subscriber.seen).toEqual(ids);
    subscriber.stop();
  }, 1_200_000);
});

/**
 * Verifies each request within a second of its arrival, as a receiver does: a signature is valid for five minutes, and the full run is longer.
 * Returns a function that verifies the rest and gives the errors of all requests.
 */
function verifyOnArrival(received: Awaited<ReturnType<typeof receiver>>['received'], secret: string) {
  const verifier = new Webhook(secret);
  const errors: unknown[] = [];
  let verified = 0;
  function verify(): readonly unknown[] {
    for (const { headers, body } of received.slice(verified)) {
      verified += 1;
      try {
        verifier.verify(body, headers);
      } catch (error) {
        errors.push(error);
      }
    }
    return errors;
  }
  const timer = setInterval(verify, 1_000);
  onTestFinished(() => clearInterval(timer));
  return verify;
}

/** A subscriber that reconnects to either process after a lost connection and resumes after its last cursor. */
function follow(url: () => string) {
  const seen: string[] = [];
  let cursor = toCursor('change', ['0']); // before the first change
  let stopped = false;
  const query = `subscription ($after: String) { companyChanged(after: $after) { id cursor } }`;

  async function once(): Promise<void> {
    const client = createClient({
      url: `${url().replace('http', 'ws')}/graphql`,
      connectionParams: { 'X-API-Key': KEY },
      webSocketImpl: WebSocket,
      retryAttempts: 0,
    });
    try {
      for await (const { data } of client.iterate<{ companyChanged: { id: string; cursor: string } }>({
        query,
        variables: { after: cursor },
      })) {
        if (!data) continue;
        seen.push(data.companyChanged.id);
        cursor = data.companyChanged.cursor;
      }
    } finally {
      await client.dispose();
    }
  }
  void (async () => {
    while (!stopped) {
      await once().catch(() => undefined);
      await sleep(50);
    }
  })();
  const stop = () => {
    stopped = true;
  };
  onTestFinished(stop);
  return { seen, stop };
}

import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SLOTS_PER_HOST } from '../../src/webhooks/store/delivery-queue.ts';
import { setup, taxIdOf } from '../modules/monitor/webhooks/support.ts';
import { nodeArguments } from '../support/process.ts';
import { rounds } from '../support/rounds.ts';

const CHILD = path.join(import.meta.dirname, '../modules/monitor/webhooks/sender-child.ts');
const CHANGES = 200;
const ROUNDS = rounds(30);

/** The state of the process when it is killed, as reported by the process or by the receiver. */
const POINTS = ['before the commit', 'after the commit', 'claimed', 'connected', 'read', 'answered'] as const;

/** A receiver that reports each opened connection and each read request, and records the webhook ids. */
async function watcher(onPoint: (point: string) => void) {
  const ids: string[] = [];
  const server = createServer(async (request, response) => {
    for await (const _ of request);
    ids.push(String(request.headers['webhook-id']));
    onPoint('read');
    response.end();
  });
  server.on('connection', () => onPoint('connected'));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, ids };
}

async function killed(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

describe('WH-06 a sender that is killed', () => {
  it.each(POINTS)(
    `loses no event and repeats at most ${SLOTS_PER_HOST} events, ${ROUNDS} times: %s`,
    async (point) => {
      const clock = { aheadMs: 0 };
      const { db, url, monitor, drain } = await setup({ now: () => Date.now() + clock.aheadMs });
      for (let round = 0; round < ROUNDS; round += 1) {
        const nth = randomInt(1, CHANGES);
        let seen = 0;
        const reached = Promise.withResolvers<void>();
        const { url: hook, ids } = await watcher((what) => {
          if (what === point) seen += 1;
          if (what === point && seen === nth) reached.resolve();
        });
        const taxIds = Array.from({ length: CHANGES }, (_, i) => taxIdOf(round * CHANGES + i));
        const { id } = await monitor(hook, { taxIds });
        const child = spawn(process.execPath, [...nodeArguments(CHILD), url, taxIds.join(','), point, String(nth)], {
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        onTestFinished(() => void child.kill('SIGKILL'));
        await Promise.race([reached.promise, once(child.stdout, 'data')]);
        await killed(child);

        const changes: string[] = await db('changes').where({ monitor_id: id }).pluck('id');
        const events = changes.map((change) => `evt_${change.replaceAll('-', '')}`).sort();
        expect(await db('deliveries').where({ monitor_id: id }).orderBy('event_id').pluck('event_id')).toEqual(events);
        if (point === 'before the commit') expect(changes).toHaveLength(nth - 1);
        if (point === 'after the commit') expect(changes).toHaveLength(nth);

        clock.aheadMs += 31_000; // the leases of the killed process have expired
        await drain();
        expect(await db('deliveries').where({ monitor_id: id }).distinct('state').pluck('state')).toEqual(
          events.length > 0 ? ['delivered'] : [],
        );
        expect([...new Set(ids)].sort()).toEqual(events);
        expect(ids.length - events.length).toBeLessThanOrEqual(SLOTS_PER_HOST);
        const cut = await db('delivery_attempts as a')
          .join('deliveries as d', 'd.id', 'a.delivery_id')
          .where({ monitor_id: id, error: 'interrupted' });
        expect(cut.length).toBeLessThanOrEqual(SLOTS_PER_HOST);
        if (point === 'claimed' || point === 'answered') expect(cut.length).toBeGreaterThan(0);
      }
    },
    600_000,
  );
});

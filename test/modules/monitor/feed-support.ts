import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { onTestFinished } from 'vitest';
import type { CompanyKey } from '../../../src/domain/company.ts';
import type { EventFeed } from '../../../src/event-feed.ts';
import type { Epoch, LogPosition } from '../../../src/modules/monitor/domain/log-position.ts';
import { createMonitorEvents } from '../../../src/modules/monitor/service/events.ts';
import { publish } from '../../../src/modules/monitor/service/publish.ts';
import { appendChanges, type NewChange, startEpoch } from '../../../src/modules/monitor/store/change-log.ts';
import { testDb } from '../../support/db.ts';
import { memoryLog } from '../../support/log.ts';
import { brazilian, cnpj } from './support.ts';

/** Appends changes of one monitor, which need not exist, in one transaction. @returns their ids */
export async function append(db: Knex, count: number, as: Partial<NewChange> = {}): Promise<readonly string[]> {
  const changes = Array.from({ length: count }, () => change(as));
  await db.transaction((trx) => appendChanges(trx, changes));
  return changes.map(({ id }) => id);
}

/** Appends an event for each key, again and again, until `isOver`. Settles with the public ids by key, in order. */
export async function appendUntil(
  isOver: () => boolean,
  db: Knex,
  keys: readonly { readonly id: string }[],
  pauseMs: number,
): Promise<readonly (readonly string[])[]> {
  const written = keys.map((): string[] => []);
  while (!isOver()) {
    for (const [n, { id: keyId }] of keys.entries())
      written[n]?.push(...(await append(db, 1, { keyId })).map((id) => `evt_${id.replaceAll('-', '')}`));
    await sleep(pauseMs);
  }
  return written;
}

export const change = (as: Partial<NewChange> = {}): NewChange => ({
  id: randomUUID(),
  observationId: randomUUID(),
  monitorId: OWN,
  keyId: KEY,
  company: brazilian(cnpj(1)),
  identifier: cnpj(1),
  source: 'receita_federal',
  fields: [{ field: 'status', from: 'active', to: 'inactive' }],
  detectedAt: Date.now(),
  observedAt: as.detectedAt ?? Date.now(),
  ...as,
});

export const KEY = '00000000-0000-4000-8000-000000000001';
export const OWN = '00000000-0000-4000-8000-00000000000a';

/** Leaves the change log as a restore to the moment of a position does: the later changes are lost, and an epoch begins. */
export const restoreTo = (db: Knex, position: number): Promise<Epoch> =>
  db.transaction(async (trx) => {
    await trx('changes').where('position', '>', position).delete();
    await trx('log_heads').where({ stream: 'changes' }).update({ position });
    return startEpoch(trx);
  });

/** Publishes a change of a company. */
export const publishChange = (db: Knex, company: CompanyKey, now = Date.now()): Promise<void> =>
  db.transaction((trx) =>
    publish(trx, [{ company, source: 'receita_federal', fields: [{ field: 'status', from: 'active', to: 'inactive' }] }], now),
  );

/** Creates a database and the event feeds of several processes that share it. */
export async function feeds() {
  const db = await testDb();
  onTestFinished(() => db.close());
  const { log, lines } = memoryLog();
  const clock = { now: Date.now() };
  const open = () => {
    const feed = createMonitorEvents({ db: db.knex, log, now: () => clock.now });
    onTestFinished(() => feed.close());
    return feed;
  };
  return { db: db.knex, lines, clock, open, feed: open() };
}

/** The next `count` events. */
export async function take<T>(feed: EventFeed<T>, count: number): Promise<readonly T[]> {
  const taken: T[] = [];
  while (taken.length < count) {
    const step = await feed.next();
    if (step.done) throw new Error(`the feed ended after ${taken.length} events`);
    taken.push(step.value);
  }
  return taken;
}

export const cursorOf = ({ position, epoch }: LogPosition): string => `#${position}${epoch ?? ''}`;

/** A position of the change log, of the first epoch unless given. */
export const at = (position: number, epoch: string | null = null): LogPosition => ({ position, epoch });

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Owned } from '../../src/db/paging.ts';
import { fromPublicId } from '../../src/domain/public-ids.ts';
import { findChanges, pageChangesOfMonitors } from '../../src/modules/monitor/store/change-log.ts';
import { cancelMonitor, findMonitor, identifiersOf, lockActiveMonitor, pageCompanies } from '../../src/modules/monitor/store/monitors.ts';
import { findResendTarget } from '../../src/modules/monitor/store/recipients.ts';
import { groupResults, pageRejected, pageResults, pageRows } from '../../src/modules/screening/store/results.ts';
import { cancelScreening, findScreenings } from '../../src/modules/screening/store/screenings.ts';
import { attemptsOfDeliveries, deliveriesReporting, findDeliveries, pageDeliveries } from '../../src/webhooks/store/delivery-log.ts';
import { findQueuedDelivery } from '../../src/webhooks/store/delivery-queue.ts';
import { enableEndpoint, lockEndpoint, replaceSecret } from '../../src/webhooks/store/endpoints.ts';
import { publishChanges, subscribe, world } from '../modules/monitor/api-requests.ts';
import { start, unknownCnpjs, work } from '../modules/screening/support.ts';
import { type TestApp, testApp } from '../support/app.ts';

/** Services look a row up by its owner before they change it. The statements themselves know the owner, too. */

let app: TestApp;
let monitor: string;
let screening: string;
let owner: string;
let delivery: { readonly id: string; readonly change_id: string; readonly owner_kind: string };
const STRANGER = randomUUID();
const NOW = Date.now();
beforeAll(async () => {
  app = await testApp({ listsTried: false });
  const { subscription_id } = await subscribe(app);
  monitor = fromPublicId('monitor', subscription_id) ?? '';
  await publishChanges(app, world.slice(0, 2));
  screening = fromPublicId('screening', await start(app, [...unknownCnpjs(2), 'no tax id'])) ?? '';
  await work(app);
  owner = (await app.db('monitors').where({ id: monitor }).first('key_id')).key_id;
  delivery = await app.db('deliveries').where({ monitor_id: monitor }).first('id', 'change_id', 'owner_kind');
  await app.db('delivery_attempts').insert({ delivery_id: delivery.id, number: 1, started_at: new Date(NOW) });
});
afterAll(() => app.close());

const secret = { secret: Buffer.alloc(48), oldUntil: NOW, now: NOW };
const page = { first: 10, after: null };
const ALL_RESULTS = { riskLevel: null, completeness: null, answered: null };
/** True if one of the rows or pages that were read has something. */
const isFound = (read: readonly unknown[]): boolean =>
  read.some(
    (one) =>
      (Array.isArray(one) ? one.length : ((one as { items?: readonly unknown[] } | null)?.items?.length ?? Number(one !== null))) > 0,
  );

it.each<[string, () => string, (row: Owned) => Promise<boolean>]>([
  ['a monitor', () => monitor, async (row) => (await findMonitor(app.db, row)) !== null],
  ['the tax ids of a monitor', () => monitor, async (row) => [...((await identifiersOf(app.db, [row]))[0] ?? [])].length > 0],
  ['the companies of a monitor', () => monitor, async (row) => isFound(await pageCompanies(app.db, [{ ...row, ...page }]))],
  ['the changes of a monitor', () => monitor, async (row) => isFound(await pageChangesOfMonitors(app.db, [{ ...row, ...page }]))],
  ['a change', () => delivery.change_id, async (row) => isFound(await findChanges(app.db, [row]))],
  ['the deliveries of a change', () => delivery.change_id, async (row) => isFound(await deliveriesReporting(app.db, [row]))],
  ['the deliveries of a monitor', () => monitor, async (row) => isFound(await pageDeliveries(app.db, [{ ...row, ...page, state: null }]))],
  ['a delivery', () => delivery.id, async (row) => isFound(await findDeliveries(app.db, delivery.owner_kind, [row]))],
  ['the attempts of a delivery', () => delivery.id, async (row) => isFound(await attemptsOfDeliveries(app.db, [row]))],
  ['a delivery to send again', () => delivery.id, async (row) => (await findQueuedDelivery(app.db, delivery.owner_kind, row)) !== null],
  ['a receiver to send to again', () => monitor, async (row) => (await findResendTarget(app.db, row)) !== null],
  ['the lock of an endpoint', () => monitor, (row) => app.db.transaction((trx) => lockEndpoint(trx, row))],
  ['an endpoint to enable', () => monitor, (row) => enableEndpoint(app.db, row)],
  ['a new secret', () => monitor, (row) => replaceSecret(app.db, row, secret)],
  ['the lock of a monitor', () => monitor, (row) => app.db.transaction((trx) => lockActiveMonitor(trx, row))],
  ['the end of a monitor', () => monitor, (row) => app.db.transaction((trx) => cancelMonitor(trx, row, NOW))],
  ['a screening', () => screening, async (row) => isFound(await findScreenings(app.db, [row]))],
  ['the results of a screening', () => screening, async (row) => isFound(await pageResults(app.db, [{ ...row, ...page, ...ALL_RESULTS }]))],
  ['the rows of a screening', () => screening, async (row) => isFound([await pageRows(app.db, { ...row, ...page })])],
  ['the groups of a screening', () => screening, async (row) => isFound(await groupResults(app.db, [row]))],
  ['the rejected rows of a screening', () => screening, async (row) => isFound(await pageRejected(app.db, [{ ...row, ...page }]))],
])('GQ-08 the statement of %s finds nothing for another key, and something for the owner', async (_, idOf, find) => {
  expect(await find({ keyId: STRANGER, id: idOf() })).toBe(false);
  expect(await find({ keyId: owner, id: idOf() })).toBe(true);
});

it('GQ-08 the statement of the end of a screening finds nothing for another key, and something for the owner', async () => {
  const id = fromPublicId('screening', await start(app, unknownCnpjs(2))) ?? '';
  const end = (keyId: string) => app.db.transaction((trx) => cancelScreening(trx, { keyId, id }, NOW));
  expect(await end(STRANGER)).toBe(false);
  expect(await end(owner)).toBe(true);
});

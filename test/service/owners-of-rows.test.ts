import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fromPublicId } from '../../src/domain/public-ids.ts';
import { cancelMonitor, lockActiveMonitor } from '../../src/modules/monitor/store/monitors.ts';
import { cancelScreening, findScreenings } from '../../src/modules/screening/store/screenings.ts';
import { pageDeliveries } from '../../src/webhooks/store/delivery-log.ts';
import { replaceSecret } from '../../src/webhooks/store/endpoints.ts';
import { PATH, publishChanges, subscribe, world } from '../modules/monitor/api-requests.ts';
import { start, unknownCnpjs } from '../modules/screening/support.ts';
import { type TestApp, testApp } from '../support/app.ts';

/** Services look a row up by its owner before they change it. The statements themselves know the owner, too. */

let app: TestApp;
let monitor: string;
let screening: string;
let owner: string;
const STRANGER = randomUUID();
const NOW = Date.now();
beforeAll(async () => {
  app = await testApp({ listsTried: false });
  const { subscription_id } = await subscribe(app);
  monitor = fromPublicId('monitor', subscription_id) ?? '';
  await publishChanges(app, world.slice(0, 2));
  screening = fromPublicId('screening', await start(app, unknownCnpjs(2))) ?? '';
  owner = (await app.db('monitors').where({ id: monitor }).first('key_id')).key_id;
});
afterAll(() => app.close());

const secret = { secret: Buffer.alloc(48), oldUntil: NOW, now: NOW };

it.each<[string, (keyId: string) => Promise<boolean>]>([
  [
    `the deliveries of ${PATH}`,
    async (keyId) => (await pageDeliveries(app.db, [{ keyId, id: monitor, state: null, first: 10, after: null }]))[0]?.items.length === 2,
  ],
  ['the lock of a monitor', (keyId) => app.db.transaction((trx) => lockActiveMonitor(trx, { keyId, id: monitor }))],
  ['a new secret', (keyId) => replaceSecret(app.db, { keyId, id: monitor }, secret)],
  ['the end of a monitor', (keyId) => app.db.transaction((trx) => cancelMonitor(trx, { keyId, id: monitor }, NOW))],
  ['a screening', async (keyId) => (await findScreenings(app.db, [{ keyId, id: screening }]))[0] !== null],
  ['the end of a screening', (keyId) => app.db.transaction((trx) => cancelScreening(trx, { keyId, id: screening }, NOW))],
])('GQ-08 the statement of %s finds nothing for another key, and something for the owner', async (_, find) => {
  expect(await find(STRANGER)).toBe(false);
  expect(await find(owner)).toBe(true);
});

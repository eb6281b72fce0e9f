import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { createAccounts } from '../../src/auth/accounts/accounts.ts';
import { MODULES } from '../../src/domain/catalogue.ts';
import { publishChange } from '../modules/monitor/feed-support.ts';
import { brazilian } from '../modules/monitor/support.ts';
import { testApp } from '../support/app.ts';
import { needsPostgresClient, serverOfClient } from '../support/postgres-client.ts';
import { writeFixture } from '../support/upgrade-fixture.ts';

const DISMISS = 'mutation ($input: DismissMatchInput!) { dismissMatch(input: $input) { dismissedMatch { id } } }';

const ACCOUNT = 'Distribuidora Inventada Ltda';
/** Whether each consolidated check gets a receipt. */
const CHECKS = [true, true, false];
/** Of the dump as text. */
const MAX_BYTES = 100_000_000;

// Only `npm run upgrade-fixture` runs this file: it writes the database of this version, which later versions must start on.
it('the fixture of this version is written', { timeout: 180_000, ...needsPostgresClient }, async () => {
  const url = await serverOfClient();
  const keySecret = 'a made-up secret of a service that is upgraded';
  const app = await testApp({ db: { url }, env: { QUIPU_KEY_SECRET: keySecret } });
  await createAccounts({ db: app.db, now: Date.now, actor: 'test' }).create({ name: ACCOUNT, email: 'ana@distribuidora.example' });
  const { key } = await app.keys.create({ name: 'in use', account: ACCOUNT, modules: MODULES });
  const { key: revokedKey } = await app.keys.create({ name: 'revoked', account: ACCOUNT, modules: MODULES });
  await app.keys.revoke(revokedKey);

  const { cnpj } = companyByScenario('clean');
  for (const receipt of CHECKS) expect(await app.post('/v1/compliance-br', { cnpj, receipt }, key)).toMatchObject({ status: 200 });
  const webhook = { identifiers: [cnpj], country: 'BR', webhook_url: 'http://127.0.0.1:9/hook' };
  const { status, body: monitor } = await app.post('/v1/monitor/subscriptions', webhook, key);
  expect(status).toBe(200);
  const homonym = { identifier: companyByScenario('homonym').cnpj, list: 'OFAC_SDN', entityId: '990040' };
  const { body: dismissed } = await app.query(DISMISS, { input: { ...homonym, reason: 'The company is in another city.' } }, key);
  const dismissalId = dismissed.data.dismissMatch.dismissedMatch.id;
  await publishChange(app.db, brazilian(cnpj));

  const replies: Record<string, object> = {};
  for (const path of ['/v1/evidence', '/v1/changes', `/v1/monitor/subscriptions/${monitor.subscription_id}`])
    replies[path] = (await app.server.inject({ url: path, headers: { 'x-api-key': key } })).json();
  const { keys } = (await app.server.inject('/.well-known/quipu-evidence-keys')).json();
  const at = Date.now();
  await app.close();

  const options = ['--inserts', '--rows-per-insert=100', '--no-owner', '--no-privileges'];
  const dump = await promisify(execFile)('pg_dump', [`--dbname=${url}`, ...options], { maxBuffer: MAX_BYTES });
  const { version } = JSON.parse(await readFile('package.json', 'utf8'));
  const secrets = { keySecret, key, revokedKey };
  await writeFixture(version, { at, ...secrets, cnpj, checks: CHECKS.length, monitor, dismissalId, replies, keys }, dump.stdout);
});

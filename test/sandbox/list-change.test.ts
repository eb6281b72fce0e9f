import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { type TestApp, testApp } from '../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app.close());

const { cnpj } = companyByScenario('clean');
const DEBARMENT = '{ company(identifier: "99010001000184") { debarment { records { source dateEnd } } } }';

/** Changes the list in the sandbox, syncs it and queries the service. */
async function loadedAfter(method: 'PUT' | 'DELETE') {
  await fetch(`${app.sandbox?.url}/_control/lists/CEIS/${cnpj}`, { method });
  const { outcome } = (await app.sources.copies.find(({ name }) => name === 'CEIS')?.sync()) ?? {};
  const { body } = await app.query(DEBARMENT);
  return [outcome, body.data.company.debarment.records];
}

describe('a list that was changed through the control API', () => {
  it('replaces the version of the same day, and is replaced after the change is reverted', async () => {
    expect(await loadedAfter('PUT')).toEqual(['loaded', [{ source: 'CEIS', dateEnd: '2031-11-20' }]]);
    expect(await loadedAfter('DELETE')).toEqual(['loaded', []]);
  });
});

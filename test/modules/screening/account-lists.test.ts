import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { createAccounts } from '../../../src/auth/accounts/accounts.ts';
import type { OptionalList } from '../../../src/domain/optional-lists.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { call } from '../monitor/api-requests.ts';
import { START, start, work } from './support.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app.close());

interface Lists {
  readonly lists?: readonly OptionalList[];
  readonly verdictLists?: readonly OptionalList[];
}

/** Screens the company of a scenario with a key of an account that has chosen lists, and returns its result. */
async function resultOf(scenario: string, module: string, name: string, lists: Lists) {
  await createAccounts({ db: app.db, now: Date.now, actor: 'operator ana' }).create({ name, ...lists });
  const { key } = await app.keys.create({ name, account: name, modules: ['screening', 'compliance_br', 'debarment', 'sanctions'] });
  const id = await start(app, [companyByScenario(scenario).cnpj], { modules: [module] }, key);
  await work(app);
  return (await call(app, 'GET', `${START}/${id}/results`, key)).body.results[0];
}

describe('a screening', () => {
  it('counts the records of the lists that its account has chosen for verdicts', async () => {
    expect(await resultOf('grants-barred', 'compliance_br', 'plain', {})).toMatchObject({ risk_level: 'low', is_debarred: false });
    const { risk_level, risk_reasons } = await resultOf('grants-barred', 'compliance_br', 'deciding', { verdictLists: ['CEPIM'] });
    expect([risk_level, risk_reasons]).toEqual(['medium', [expect.stringContaining('CEPIM')]]);
  });

  it('reads the lists that its account has chosen for answers in single checks', async () => {
    const lists: Lists = { lists: ['CEPIM', 'EU_CONSOLIDATED'] };
    expect(await resultOf('grants-barred', 'debarment', 'answering', lists)).toMatchObject({ is_debarred: true });
    expect(await resultOf('clean-builder', 'sanctions', 'european', lists)).toMatchObject({ is_sanctioned: true, failed_modules: [] });
    expect(await resultOf('clean-builder', 'sanctions', 'contract', {})).toMatchObject({ is_sanctioned: false });
  });
});

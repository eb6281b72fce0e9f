import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { foreignCompanyByScenario } from '../../../sandbox/world/foreign-companies.ts';
import { createAccounts } from '../../../src/auth/accounts/accounts.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { appWithFaults } from '../../support/app-with-faults.ts';

const cnpj = (scenario: string): string => companyByScenario(scenario).cnpj;
const BUILDER = cnpj('clean-builder');
const CHOSEN = ['OFAC_NON_SDN', 'EU_CONSOLIDATED', 'UK_SANCTIONS', 'WORLD_BANK_DEBARRED'];

describe('sanctions lists that a request chooses', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await testApp();
  });
  afterAll(() => app.close());

  const rest = async (body: object) => (await app.post('/v1/sanctions', { country: 'BR', ...body })).body;
  const ask = async (identifier: string, lists: string, fields: string) =>
    (await app.query(`{ company(identifier: "${identifier}") { sanctions${lists} { ${fields} } } }`)).body;

  it('are not searched without a choice, and no answer shows them', async () => {
    const body = await rest({ identifier: BUILDER });
    expect(body).toMatchObject({
      is_sanctioned: false,
      matches: [],
      possible_matches: [],
      lists_checked: ['OFAC_SDN', 'UN_CONSOLIDATED'],
    });
    expect(Object.keys(body.lists_updated_at)).toEqual(['OFAC_SDN', 'UN_CONSOLIDATED']);
    const found = await rest({ identifier: cnpj('sanctioned'), name: 'CONDOR IMAGINARIO TRADING LTDA' });
    expect(Object.keys(found.matches[0])).toEqual([
      'list_name',
      'entry_name',
      'programs',
      'matched_id_type',
      'matched_id_value',
      'matched_on',
      'uid',
    ]);
    expect(found.possible_matches[0]).not.toHaveProperty('effect');
    const { body: verdict } = await app.post('/v1/compliance-br', { cnpj: BUILDER });
    expect(verdict).toMatchObject({ risk_level: 'low', completeness: 'complete' });
    expect(verdict.checks.sanctions).toEqual({ is_sanctioned: false, matches: [], sources_checked: ['OFAC_SDN', 'UN_CONSOLIDATED'] });
  });

  it('match by tax id, and only a listing that freezes assets makes a company sanctioned', async () => {
    const body = await rest({ identifier: BUILDER, lists: ['UK_SANCTIONS', 'OFAC_NON_SDN', 'EU_CONSOLIDATED'] });
    expect(body.is_sanctioned).toBe(true);
    expect(body.lists_checked).toEqual(['OFAC_NON_SDN', 'EU_CONSOLIDATED', 'UK_SANCTIONS']);
    expect(body.matches).toMatchObject([
      { list_name: 'OFAC_NON_SDN', uid: '980001', effect: 'restricted', measures: ['non-SDN'], matched_on: 'tax_id' },
      { list_name: 'EU_CONSOLIDATED', uid: '990001', effect: 'blocking', measures: [], matched_id_type: 'fiscalcode' },
      { list_name: 'UK_SANCTIONS', uid: 'FIC0001', effect: 'blocking', measures: ['Asset freeze', 'Trust Services Sanctions'] },
    ]);
    expect(Object.keys(body.lists_updated_at)).toEqual(['OFAC_SDN', 'UN_CONSOLIDATED', 'OFAC_NON_SDN', 'EU_CONSOLIDATED', 'UK_SANCTIONS']);
    expect(body.lists_updated_at).toMatchObject({ OFAC_SDN: null, UN_CONSOLIDATED: null, UK_SANCTIONS: expect.any(String) });
    expect(await rest({ identifier: BUILDER, lists: ['OFAC_NON_SDN'] })).toMatchObject({
      is_sanctioned: false,
      matches: [{ effect: 'restricted' }],
    });
  });

  it('match a NIT by a director disqualification of the UK, which restricts, and not by an id that the EU states to be false', async () => {
    const { taxId } = foreignCompanyByScenario('co-clean');
    const body = await rest({ identifier: taxId, country: 'CO', lists: ['UK_SANCTIONS', 'EU_CONSOLIDATED'] });
    expect(body).toMatchObject({
      is_sanctioned: false,
      matches: [{ list_name: 'UK_SANCTIONS', effect: 'restricted', measures: ['Director disqualification'], starts_on: '2022-02-24' }],
    });
  });

  it('give candidates by name on each list, best first, with what the listing means', async () => {
    const { data } = await ask(
      BUILDER,
      `(lists: [${CHOSEN.join()}])`,
      'sourcesChecked possibleMatches { list decision effect measures startsOn endsOn matchedById }',
    );
    const { sourcesChecked, possibleMatches } = data.company.sanctions;
    expect(sourcesChecked).toEqual(CHOSEN);
    expect(possibleMatches.map(({ list, effect, matchedById }: Record<string, unknown>) => [list, effect, matchedById])).toEqual([
      ['OFAC_NON_SDN', 'RESTRICTED', true],
      ['EU_CONSOLIDATED', 'BLOCKING', true],
      ['UK_SANCTIONS', 'BLOCKING', true],
      ['WORLD_BANK_DEBARRED', 'DEBARRED', false],
    ]);
    expect(possibleMatches.every(({ decision }: { decision: string }) => decision === 'MATCH')).toBe(true);
    expect(possibleMatches[3]).toMatchObject({ startsOn: '2022-01-10', endsOn: expect.stringMatching(/^\d{4}-/) });
  });

  it('give no candidate whose debarment has ended, and one whose debarment goes on after its date', async () => {
    const lists = ['WORLD_BANK_DEBARRED'];
    expect(await rest({ identifier: cnpj('clean-sa-open'), lists })).toMatchObject({ possible_matches: [], not_screened: null });
    expect(await rest({ identifier: cnpj('clean-small'), lists, name: 'TRES SORRISOS ODONTOLOGIA LTDA' })).toMatchObject({
      possible_matches: [
        { uid: '970003', matched_name: 'TRES SORRISOS ODONTOLOGIA LTDA', effect: 'debarred', measures: ['Ongoing'], ends_on: null },
      ],
    });
  });

  it('are the only ones that are searched: a party of OFAC SDN is no candidate of another list', async () => {
    const name = 'CONDOR IMAGINARIO TRADING LTDA';
    expect((await rest({ identifier: BUILDER, lists: CHOSEN, name })).possible_matches).toEqual([]);
    const both = await rest({ identifier: BUILDER, lists: ['UN_CONSOLIDATED', 'UN_CONSOLIDATED', 'EU_CONSOLIDATED'], name });
    expect(both.lists_checked).toEqual(['UN_CONSOLIDATED', 'EU_CONSOLIDATED']);
    expect(both.possible_matches).toMatchObject([{ list_name: 'UN_CONSOLIDATED', effect: 'blocking' }]);
  });

  it('can be chosen in GraphQL beside the others, each choice with its own answer', async () => {
    const { body } = await app.query(`{ company(identifier: "${BUILDER}") {
      a: sanctions { isSanctioned sourcesChecked }
      b: sanctions(lists: [EU_CONSOLIDATED]) { isSanctioned lists { list publishedOn entries } }
      c: sanctions(lists: null) { isSanctioned }
    } }`);
    expect(body.data.company).toMatchObject({
      a: { isSanctioned: false, sourcesChecked: ['OFAC_SDN', 'UN_CONSOLIDATED'] },
      b: { isSanctioned: true, lists: [{ list: 'EU_CONSOLIDATED', publishedOn: expect.any(String), entries: 6 }] },
      c: { isSanctioned: false },
    });
  });

  it('are searched beside the others where the account has chosen them, unless the request chooses', async () => {
    await createAccounts({ db: app.db, now: Date.now, actor: 'operator ana' }).create({ name: 'european', lists: ['EU_CONSOLIDATED'] });
    const { key } = await app.keys.create({ account: 'european', name: 'eu', modules: ['sanctions', 'compliance_br'] });
    const own = async (body: object) => (await app.post('/v1/sanctions', { identifier: BUILDER, country: 'BR', ...body }, key)).body;
    expect(await own({})).toMatchObject({ is_sanctioned: true, lists_checked: ['OFAC_SDN', 'UN_CONSOLIDATED', 'EU_CONSOLIDATED'] });
    expect(await own({ lists: ['OFAC_SDN'] })).toMatchObject({ is_sanctioned: false, lists_checked: ['OFAC_SDN'] });
    const { body: verdict } = await app.post('/v1/compliance-br', { cnpj: BUILDER }, key);
    expect(verdict).toMatchObject({ risk_level: 'low', completeness: 'complete' });
  });

  it('must be known ones, and at least one', async () => {
    expect(await rest({ identifier: BUILDER, lists: [] })).toMatchObject({ status: 422 });
    expect(await rest({ identifier: BUILDER, lists: ['OFSI'] })).toMatchObject({ status: 422 });
    expect((await ask(BUILDER, '(lists: [])', 'isSanctioned')).errors).toMatchObject([
      { extensions: { code: 'INVALID_INPUT', field: 'lists' } },
    ]);
  });

  it('have candidates that can be dismissed and are then hidden', async () => {
    const input = { identifier: BUILDER, list: 'WORLD_BANK_DEBARRED', entityId: '970001', reason: 'Another company.' };
    const mutation = 'mutation ($input: DismissMatchInput!) { dismissMatch(input: $input) { dismissedMatch { id list entryName } } }';
    const { body } = await app.query(mutation, { input });
    expect(body.data.dismissMatch.dismissedMatch).toMatchObject({ list: 'WORLD_BANK_DEBARRED' });
    expect((await rest({ identifier: BUILDER, lists: ['WORLD_BANK_DEBARRED'] })).possible_matches).toEqual([]);
  });
});

describe('a chosen list that cannot be read', () => {
  it('fails its own answers and no other', async () => {
    const app = await appWithFaults({ UK_SANCTIONS: 'down' });
    onTestFinished(() => app.close());
    const ask = (body: object) => app.post('/v1/sanctions', { identifier: cnpj('clean'), country: 'BR', ...body });
    expect((await ask({ lists: ['UK_SANCTIONS'] })).status).toBe(503);
    expect((await ask({ lists: ['EU_CONSOLIDATED'] })).status).toBe(200);
    expect((await ask({})).body).toMatchObject({ is_sanctioned: false, lists_checked: ['OFAC_SDN', 'UN_CONSOLIDATED'] });
  });
});

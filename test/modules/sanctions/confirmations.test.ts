import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { auditLog } from '../../../src/audit/audit-log.ts';
import { type TestApp, testApp } from '../../support/app.ts';

const homonym = companyByScenario('homonym').cnpj;
const OFAC = { list: 'OFAC_SDN', entityId: '990040' };
const UN = { list: 'UN_CONSOLIDATED', entityId: '6990001' };
const ANOTHER_ACCOUNT = 'another account';

describe('confirmed candidates', () => {
  let app: TestApp;
  let otherAccount: string;

  beforeAll(async () => {
    app = await testApp();
    await app.db('accounts').insert({ name: ANOTHER_ACCOUNT, created_at: new Date() });
    otherAccount = (await app.keys.create({ name: 'other', account: ANOTHER_ACCOUNT, modules: ['sanctions'] })).key;
  }, 120_000);
  afterAll(() => app.close());

  const REASON = 'The same address and director.';
  const decide = (what: 'confirm' | 'dismiss', input: object = {}, key?: string) =>
    app.query(
      `mutation ($input: ${what === 'confirm' ? 'Confirm' : 'Dismiss'}MatchInput!) {
        ${what}Match(input: $input) { ${what}edMatch { id entityId entryName reason company { identifier } } } }`,
      { input: { identifier: homonym, ...OFAC, reason: REASON, ...input } },
      key,
    );
  const confirmed = async (): Promise<string> => (await decide('confirm')).body.data.confirmMatch.confirmedMatch.id;
  const unconfirm = (id: string, key?: string) =>
    app.query('mutation ($id: ID!) { unconfirmMatch(input: { id: $id }) { confirmedMatch { id } } }', { id }, key);
  const check = async (key?: string) =>
    (
      await app.query(
        `query ($id: String!) { company(identifier: $id) { sanctions { isSanctioned matches { id }
          possibleMatches { entityId confirmation { id reason confirmedBy confirmedAt } } } } }`,
        { id: homonym },
        key,
      )
    ).body.data.company.sanctions;
  const LISTED = '{ confirmedMatches { csv nodes { id reason confirmedBy } } dismissedMatches { nodes { entityId } } }';

  it('stay in the list with who confirmed them, when and why, over GraphQL and REST', async () => {
    const id = await confirmed();
    expect(id).toMatch(/^cfm_[0-9a-f]{32}$/);
    const { possibleMatches } = await check();
    expect(possibleMatches).toEqual([
      {
        entityId: OFAC.entityId,
        confirmation: { id, reason: REASON, confirmedBy: expect.stringMatching(/^[0-9a-f-]{36}$/), confirmedAt: expect.any(String) },
      },
      { entityId: UN.entityId, confirmation: null },
    ]);
    const { body } = await app.post('/v1/sanctions', { identifier: homonym, country: 'BR' });
    const { confirmedBy, confirmedAt } = possibleMatches[0].confirmation;
    expect(body.possible_matches).toMatchObject([
      { uid: OFAC.entityId, dismissal: null, confirmation: { id, reason: REASON, confirmed_by: confirmedBy } },
      { uid: UN.entityId, confirmation: null },
    ]);
    expect(Date.parse(body.possible_matches[0].confirmation.confirmed_at)).toBe(Date.parse(confirmedAt));
    await unconfirm(id);
    expect((await check()).possibleMatches[0].confirmation).toBeNull();
  });

  it('change neither isSanctioned nor the matches nor the verdict', async () => {
    const COMPLIANCE = `query ($id: String!) { company(identifier: $id) { compliance { riskLevel completeness riskReasons { code } checks {
      sanctions { isSanctioned matches { id } possibleMatches { confirmation { id } } } } } } }`;
    const verdict = async () => (await app.query(COMPLIANCE, { id: homonym })).body.data.company.compliance;
    const before = await verdict();
    const id = await confirmed();
    const after = await verdict();
    expect(after.checks.sanctions).toMatchObject({ isSanctioned: false, matches: [], possibleMatches: [{ confirmation: { id } }, {}] });
    expect({ ...after, checks: null }).toEqual({ ...before, checks: null });
    expect(before).toMatchObject({ riskLevel: 'LOW', riskReasons: [] });
    await unconfirm(id);
  });

  it('are a decision in place of a dismissal, and the reverse', async () => {
    await decide('dismiss');
    const id = await confirmed();
    expect((await app.query(LISTED)).body.data).toMatchObject({ confirmedMatches: { nodes: [{ id }] }, dismissedMatches: { nodes: [] } });
    await decide('dismiss');
    const { body } = await app.query(LISTED);
    expect(body.data).toMatchObject({ confirmedMatches: { nodes: [] }, dismissedMatches: { nodes: [{ entityId: OFAC.entityId }] } });
    await app.db('match_dismissals').delete();
  });

  it('keep their id and get the new reason when they are confirmed again', async () => {
    const id = await confirmed();
    await decide('confirm', { reason: 'Its tax id is on the decree.' });
    const { csv, nodes } = (await app.query(LISTED)).body.data.confirmedMatches;
    expect(nodes).toMatchObject([{ id, reason: 'Its tax id is on the decree.' }]);
    const [header, row] = csv.split('\r\n');
    expect(header).toBe(
      'id,country,identifier,list,entity_id,entry_name,reason,confirmed_by,confirmed_at,record_digest,confirmed_by_name,approved_by_name,approved_at',
    );
    expect(row).toContain(`${id},BR,`);
    await unconfirm(id);
  });

  it('are open again when the record of the list changes', async () => {
    const id = await confirmed();
    await app.db('match_confirmations').update({ record_digest: Buffer.from('another record') });
    expect((await check()).possibleMatches[0].confirmation).toBeNull();
    await unconfirm(id);
  });

  it('belong to the account: another one neither sees nor withdraws them', async () => {
    const id = await confirmed();
    expect((await check(otherAccount)).possibleMatches[0].confirmation).toBeNull();
    expect((await unconfirm(id, otherAccount)).body.errors).toMatchObject([{ extensions: { code: 'CONFIRMATION_NOT_FOUND' } }]);
    expect((await app.query(LISTED, {}, otherAccount)).body.data.confirmedMatches.nodes).toEqual([]);
    const byId = 'query ($id: ID!) { node(id: $id) { id } }';
    expect((await app.query(byId, { id }, otherAccount)).body.data.node).toBeNull();
    expect((await app.query(byId, { id })).body.data.node).toEqual({ id });
    await unconfirm(id);
    expect((await unconfirm(id)).body.errors).toMatchObject([{ extensions: { code: 'CONFIRMATION_NOT_FOUND' } }]);
  });

  it('are in the audit log with key, time and candidate, and without the reason', async () => {
    const id = await confirmed();
    await unconfirm(id);
    const entries = await auditLog(app.db, { since: 0, subject: id });
    expect(entries.map(({ action }) => action)).toEqual(['match.confirmed', 'match.unconfirmed']);
    expect(entries[0]).toMatchObject({
      at: expect.any(Number),
      actor: expect.stringMatching(/^key [0-9a-f-]{36}$/),
      facts: { company: `BR:${homonym}`, list: 'OFAC_SDN', entity_id: OFAC.entityId },
    });
    expect(JSON.stringify(entries)).not.toContain(REASON);
  });

  it.each([
    ['a blank reason', { reason: ' ' }, { code: 'INVALID_INPUT', field: 'reason' }],
    ['a party that is no candidate of the company', { entityId: '1' }, { code: 'MATCH_NOT_FOUND' }],
  ])('are refused for %s', async (_, input, extensions) => {
    expect((await decide('confirm', input)).body).toMatchObject({ data: { confirmMatch: null }, errors: [{ extensions }] });
  });

  it('need a key with module sanctions', async () => {
    const { body } = await decide('confirm', {}, await app.keyFor('compliance_br'));
    expect(body.errors).toMatchObject([{ extensions: { code: 'MODULE_NOT_ENABLED', module: 'SANCTIONS' } }]);
  });
});

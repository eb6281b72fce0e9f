import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companies, companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { auditLog } from '../../../src/audit/audit-log.ts';
import { MAX_REVIEWS } from '../../../src/modules/sanctions/domain/review.ts';
import { recordDigest, type SanctionsEntry } from '../../../src/modules/sanctions/sources/entry.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import type { TestDb } from '../../support/db.ts';
import { testDbWithLists } from '../../support/sandbox-lists.ts';
import { until } from '../../support/until.ts';

const homonym = companyByScenario('homonym').cnpj;
const OFAC = { list: 'OFAC_SDN', entityId: '990040' };
const UN = { list: 'UN_CONSOLIDATED', entityId: '6990001' };
const ANOTHER_ACCOUNT = 'another account';

const DISMISS = `mutation ($input: DismissMatchInput!) { dismissMatch(input: $input) { dismissedMatch {
  id list entityId entryName reason dismissedBy dismissedAt recordDigest company { identifier } } } }`;
const REOPEN = 'mutation ($id: ID!) { reopenMatch(input: { id: $id }) { dismissedMatch { id entityId } } }';
const CANDIDATES = `query ($id: String!, $all: Boolean) { company(identifier: $id) { sanctions { possibleMatches(includeDismissed: $all) {
  entityId dismissal { id reason } } } } }`;
const LIST = `query ($first: Int, $after: String) { dismissedMatches(first: $first, after: $after) {
  csv nodes { id entityId reason } pageInfo { hasNextPage endCursor } } }`;

describe('dismissed candidates', () => {
  let database: TestDb;
  let app: TestApp;
  let otherProcess: TestApp;
  let otherAccount: string;

  beforeAll(async () => {
    database = await testDbWithLists();
    app = await testApp({ db: database });
    otherProcess = await testApp({ db: database });
    await app.db('accounts').insert({ name: ANOTHER_ACCOUNT, created_at: new Date() });
    otherAccount = (await app.keys.create({ name: 'other', account: ANOTHER_ACCOUNT, modules: ['sanctions'] })).key;
  }, 120_000);
  afterAll(async () => {
    await Promise.all([app.close(), otherProcess.close()]);
    await database.close();
  });

  const dismiss = (input: object, key?: string) =>
    app.query(DISMISS, { input: { identifier: homonym, ...OFAC, reason: 'Founded later, in another city.', ...input } }, key);
  const dismissed = async (input: object = {}): Promise<string> => (await dismiss(input)).body.data.dismissMatch.dismissedMatch.id;
  const shown = async (on: TestApp = app, key?: string): Promise<readonly string[]> => {
    const { body } = await on.query(CANDIDATES, { id: homonym }, key);
    return body.data.company.sanctions.possibleMatches.map(({ entityId }: { entityId: string }) => entityId);
  };
  const reopen = (id: string, key?: string) => app.query(REOPEN, { id }, key);
  /** The number of statements with this text while `work` runs. */
  async function statementsWith(text: string, work: () => Promise<unknown>): Promise<number> {
    let count = 0;
    const onQuery = ({ sql }: { readonly sql: string }) => {
      if (sql.includes(text)) count += 1;
    };
    app.db.on('query', onQuery);
    await work();
    app.db.off('query', onQuery);
    return count;
  }
  const reset = () => app.db('match_dismissals').delete();

  it('are left out of GraphQL and REST, and are given when they are requested', async () => {
    const id = await dismissed();
    expect(await shown()).toEqual([UN.entityId]);
    const { body: all } = await app.query(CANDIDATES, { id: homonym, all: true });
    expect(all.data.company.sanctions.possibleMatches).toEqual([
      { entityId: OFAC.entityId, dismissal: { id, reason: 'Founded later, in another city.' } },
      { entityId: UN.entityId, dismissal: null },
    ]);
    const rest = async (more: object) => (await app.post('/v1/sanctions', { identifier: homonym, country: 'BR', ...more })).body;
    expect((await rest({})).possible_matches).toMatchObject([{ uid: UN.entityId, dismissal: null }]);
    expect((await rest({ include_dismissed: true })).possible_matches).toMatchObject([
      { uid: OFAC.entityId, dismissal: { id, reason: 'Founded later, in another city.' } },
      { uid: UN.entityId },
    ]);
    await reopen(id);
  });

  it('have a reason in which a CPF is masked', async () => {
    const id = await dismissed({ reason: 'Another person: CPF 529.982.247-25, not 1234567890.' });
    const { body } = await app.query(LIST);
    expect(body.data.dismissedMatches.nodes).toContainEqual(
      expect.objectContaining({ id, reason: 'Another person: CPF ***982247**, not 1234567890.' }),
    );
    expect(await app.db('match_dismissals').pluck('reason')).toEqual(['Another person: CPF ***982247**, not 1234567890.']);
    await reopen(id);
  });

  it('are left out of the consolidated check, also for a key that has only its module', async () => {
    const id = await dismissed();
    const query =
      'query ($id: String!) { company(identifier: $id) { compliance { checks { sanctions { possibleMatches { entityId } } } } } }';
    const { body } = await app.query(query, { id: homonym }, await app.keyFor('compliance_br'));
    expect(body.data.company.compliance.checks.sanctions.possibleMatches).toEqual([{ entityId: UN.entityId }]);
    await reopen(id);
  });

  it('are left out in every process, and shown again in every process after reopening', async () => {
    expect(await shown(otherProcess)).toEqual([OFAC.entityId, UN.entityId]);
    const id = await dismissed();
    await until(async () => (await shown(otherProcess)).length === 1);
    const { body } = await reopen(id);
    expect(body.data.reopenMatch.dismissedMatch).toEqual({ id, entityId: OFAC.entityId });
    expect([await shown(), await shown(otherProcess)]).toEqual(Array(2).fill([OFAC.entityId, UN.entityId]));
    expect((await reopen(id)).body.errors).toMatchObject([{ extensions: { code: 'DISMISSAL_NOT_FOUND' } }]);
  });

  it('are shown again when the record of the list changes', async () => {
    const id = await dismissed();
    await app.db('match_dismissals').update({ record_digest: Buffer.from('another record') });
    expect(await shown()).toEqual([OFAC.entityId, UN.entityId]);
    expect(await dismissed({ reason: 'Still another company.' })).toBe(id);
    expect(await shown()).toEqual([UN.entityId]);
    await reopen(id);
  });

  it('belong to the account: another one neither sees nor reopens them', async () => {
    const id = await dismissed();
    expect(await shown(app, otherAccount)).toEqual([OFAC.entityId, UN.entityId]);
    expect((await reopen(id, otherAccount)).body.errors).toMatchObject([{ extensions: { code: 'DISMISSAL_NOT_FOUND' } }]);
    expect((await app.query(LIST, {}, otherAccount)).body.data.dismissedMatches.nodes).toEqual([]);
    const byId = 'query ($id: ID!) { node(id: $id) { id } }';
    expect((await app.query(byId, { id }, otherAccount)).body.data.node).toBeNull();
    expect((await app.query(byId, { id })).body.data.node).toEqual({ id });
    await reopen(id);
  });

  it('are listed in pages, newest first, and as one CSV file', async () => {
    const first = await dismissed({ reason: '=1+1, "quoted"' });
    const second = await dismissed(UN);
    const page = async (after: string | null) => (await app.query(LIST, { first: 1, after })).body.data.dismissedMatches;
    const newest = await page(null);
    const oldest = await page(newest.pageInfo.endCursor);
    expect([...newest.nodes, ...oldest.nodes].map(({ id }: { id: string }) => id)).toEqual([second, first]);
    expect([newest.pageInfo.hasNextPage, oldest.pageInfo.hasNextPage]).toEqual([true, false]);
    const lines = `${newest.csv}${oldest.csv}`.split('\r\n');
    expect(lines).toHaveLength(4);
    expect(lines[0]).toBe(
      'id,country,identifier,list,entity_id,entry_name,reason,dismissed_by,dismissed_at,record_digest,owner_id,dismissed_by_name,approved_by_name,approved_at',
    );
    expect(lines[2]).toContain(`"'=1+1, ""quoted"""`);
    await Promise.all([reopen(first), reopen(second)]);
  });

  it('are read in batches of companies, not company by company', async () => {
    const id = await dismissed();
    const query = 'query ($ids: [String!]!) { companies(identifiers: $ids) { sanctions { possibleMatches { entityId } } } }';
    const ids = companies.slice(0, 30).map(({ cnpj }) => cnpj);
    await app.query(query, { ids });
    const count = await statementsWith('JOIN match_dismissals', () => app.query(query, { ids }));
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThan(6); // as many as there are moments at which checks of the request are answered
    await reopen(id);
  });

  it('cost no statement for an account that has none, once that is known', async () => {
    await reset();
    await until(async () => (await statementsWith('match_dismissals', () => shown(app, otherAccount))) === 0);
    expect(await shown(app, otherAccount)).toEqual([OFAC.entityId, UN.entityId]);
  });

  it('are in the audit log with key, time and candidate, and without the reason', async () => {
    const id = await dismissed();
    await reopen(id);
    const entries = await auditLog(app.db, { since: 0, subject: id });
    expect(entries.map(({ action }) => action)).toEqual(['match.dismissed', 'match.reopened']);
    expect(entries[0]).toMatchObject({
      actor: expect.stringMatching(/^key [0-9a-f-]{36}$/),
      facts: { company: `BR:${homonym}`, list: 'OFAC_SDN', entity_id: OFAC.entityId },
    });
    expect(JSON.stringify(entries)).not.toContain('Founded later');
  });

  it.each([
    ['a blank reason', { reason: '  ' }, { code: 'INVALID_INPUT', field: 'reason' }],
    ['a reason of more than 1,000 characters', { reason: 'x'.repeat(1_001) }, { code: 'INVALID_INPUT', field: 'reason' }],
    ['a malformed tax id', { identifier: '1' }, { code: 'INVALID_INPUT', field: 'identifier' }],
    ['a party that is no candidate of the company', { entityId: '1' }, { code: 'MATCH_NOT_FOUND' }],
  ])('are refused for %s', async (_, input, extensions) => {
    expect((await dismiss(input)).body).toMatchObject({ data: { dismissMatch: null }, errors: [{ extensions }] });
  });

  it('are found by the name for which the candidate was found', async () => {
    const input = { name: 'Fura Bloqueio Importadora', entityId: '990001' };
    expect((await dismiss({ ...input, name: null })).body.errors).toMatchObject([{ extensions: { code: 'MATCH_NOT_FOUND' } }]);
    expect(await dismissed(input)).toMatch(/^dsm_[0-9a-f]{32}$/);
    await reset();
  });

  it('need a key with module sanctions', async () => {
    const { body } = await dismiss({}, await app.keyFor('compliance_br'));
    expect(body).toMatchObject({
      data: { dismissMatch: null },
      errors: [{ extensions: { code: 'MODULE_NOT_ENABLED', module: 'SANCTIONS' } }],
    });
  });

  it('are at most 10,000 of an account', async () => {
    const { rows } = await app.db.raw('SELECT account_id FROM api_keys WHERE name = ? LIMIT 1', ['test']);
    await app.db.raw(
      `INSERT INTO match_dismissals SELECT gen_random_uuid(), ?, 'BR', n::text, 'OFAC_SDN', 'x', 'x', '', 'x', gen_random_uuid(), now() FROM generate_series(1, ?) n`,
      [rows[0].account_id, MAX_REVIEWS],
    );
    expect((await dismiss({})).body.errors).toMatchObject([{ extensions: { code: 'PLAN_LIMIT_REACHED', module: 'SANCTIONS' } }]);
    await reset();
  });
});

describe('the digest of a record', () => {
  const entry: SanctionsEntry = {
    uid: '1',
    kind: 'entity',
    name: 'ACME',
    aliases: [
      { name: 'A', type: 'a.k.a.', weak: false },
      { name: 'B', type: 'a.k.a.', weak: true },
    ],
    programs: ['SDNT', 'SDNTK'],
    countries: ['Chile', 'Panama'],
    nationalities: [],
    datesOfBirth: [],
    taxIds: [],
    reference: null,
  };

  it('is the same for another order of names, programmes and countries', () => {
    const reordered = {
      ...entry,
      aliases: entry.aliases.toReversed(),
      programs: entry.programs.toReversed(),
      countries: entry.countries.toReversed(),
    };
    expect(recordDigest(reordered)).toBe(recordDigest(entry));
  });

  it.each([
    ['name', { name: 'ACME LTDA' }],
    ['alias', { aliases: entry.aliases.slice(1) }],
    ['programme', { programs: ['SDNT'] }],
    ['country', { countries: ['Chile'] }],
  ])('is another one with another %s', (_, change) => {
    expect(recordDigest({ ...entry, ...change })).not.toBe(recordDigest(entry));
  });

  it.each([
    ['nationality', { nationalities: ['Colombia'] }],
    ['date of birth', { datesOfBirth: ['01 Jan 1970'] }],
  ])('of a person is another one with another %s', (_, change) => {
    const person = { ...entry, kind: 'individual' } as const;
    expect(recordDigest({ ...person, ...change })).not.toBe(recordDigest(person));
  });
});

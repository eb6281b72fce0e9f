import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { maskedCpf } from '../../../sandbox/world/brazil/company.ts';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { createAccounts } from '../../../src/auth/accounts/accounts.ts';
import type { OwnerScreening } from '../../../src/modules/owners/domain.ts';
import { candidatesPerOwner, toOwnerScreeningReply } from '../../../src/modules/owners/rest/screening.ts';
import { SANCTIONS_LISTS } from '../../../src/modules/sanctions/domain.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { appWithFaults } from '../../support/app-with-faults.ts';
import { BRAZILIAN_LISTS, LISTS, recordListReads } from './list-reads.ts';

const { cnpj } = companyByScenario('owners-listed');
const LISTED_PERSON = 'PEDRO EJEMPLO INVENTADO';

const OWNERS = `query ($id: String!, $all: Boolean) { company(identifier: $id) { owners { owners { id name identifier
  screening(includeDismissed: $all) { candidates { list entityId entryName matchedName matchedOn decision score explanation programs countries
      nationalities datesOfBirth startsOn endsOn dismissal { id reason } waitingDecision { id } }
    listsChecked listsNotChecked { list reason } freshness { dataAsOf } } } } } }`;

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects of an answer
type Reply = any;

/** Converts an owner of GraphQL to the fields that `/v1` has of it. */
const inRest = ({ id, name, identifier, screening }: Reply) => ({
  name,
  identifier,
  screening: {
    owner_id: id,
    candidates: screening.candidates?.map((one: Reply) => ({
      list_name: one.list,
      entry_name: one.entryName,
      matched_name: one.matchedName,
      matched_on: one.matchedOn.toLowerCase(),
      decision: one.decision.toLowerCase(),
      score: one.score,
      explanation: one.explanation,
      programs: one.programs,
      countries: one.countries,
      nationalities: one.nationalities,
      dates_of_birth: one.datesOfBirth,
      starts_on: one.startsOn,
      ends_on: one.endsOn,
      uid: one.entityId,
      dismissal: one.dismissal && { id: one.dismissal.id, reason: one.dismissal.reason },
      ...(one.waitingDecision && { waiting_decision: one.waitingDecision }),
    })),
    lists_checked: screening.listsChecked,
    lists_not_checked: screening.listsNotChecked.map(({ list, reason }: Reply) => ({ list_name: list, reason: reason.toLowerCase() })),
    data_as_of: screening.freshness.dataAsOf,
  },
});

const ask = (app: TestApp, options: object, key?: string) => app.post('/v1/owners', { identifier: cnpj, country: 'BR', ...options }, key);
const ownerOf = ({ body }: Reply, named: string): Reply =>
  body.owners.find(({ name, identifier }: Reply) => named === name || named === identifier);

describe('the screening of owners over REST', () => {
  let app: TestApp;
  /** The lists that each look-up by key reads. */
  let reads: string[][];
  beforeAll(async () => {
    app = await testApp();
    reads = recordListReads(app);
  }, 120_000);
  afterAll(() => app.close());

  it('reads all lists in one statement for all owners of a company', async () => {
    reads.length = 0;
    const { body } = await ask(app, { screening: true });
    expect(body.owners.length).toBeGreaterThan(5);
    expect(reads).toEqual([LISTS]);
  });

  it('has the same answer for each owner as GraphQL', async () => {
    const rest = await ask(app, { screening: true });
    const graphql = await app.query(OWNERS, { id: cnpj });
    const expected: readonly Reply[] = graphql.body.data.company.owners.owners.map(inRest);
    expect(rest.body.owners).toEqual(expected.map((owner) => expect.objectContaining(owner)));
    expect(expected.flatMap(({ screening }) => screening.candidates).length).toBeGreaterThan(5);
    expect(ownerOf(rest, LISTED_PERSON).screening.candidates).toMatchObject([{ list_name: 'OFAC_SDN', uid: '990050', dismissal: null }]);
  });

  it('is absent unless it is requested, and changes nothing else of the reply', async () => {
    const [plain, refused, screened] = [await ask(app, {}), await ask(app, { screening: false }), await ask(app, { screening: true })];
    expect(plain.body.owners.filter((owner: object) => 'screening' in owner)).toEqual([]);
    expect({ ...refused.body, checked_at: null }).toEqual({ ...plain.body, checked_at: null });
    const without = screened.body.owners.map(({ screening: _, ...owner }: Reply) => owner);
    expect({ ...screened.body, owners: without, checked_at: null }).toEqual({ ...plain.body, checked_at: null });
  });

  it('is not counted, as in GraphQL: the owners are, once', async () => {
    const key = await app.keyFor('owners', 'sanctions', 'debarment', 'labor');
    expect((await ask(app, { screening: true }, key)).headers['usage-counted']).toBe('owners=1');
    expect((await app.query(OWNERS, { id: cnpj }, key)).body.extensions.cost.counted).toEqual({ OWNERS: 1 });
  });

  it('names the lists whose module the key lacks', async () => {
    const answer = await ask(app, { screening: true }, await app.keyFor('owners', 'sanctions'));
    expect(ownerOf(answer, maskedCpf(200)).screening).toMatchObject({
      candidates: [],
      lists_checked: [...SANCTIONS_LISTS],
      lists_not_checked: BRAZILIAN_LISTS.map((list_name) => ({ list_name, reason: 'module_not_enabled' })),
    });
  });

  it.each([
    { modules: ['owners'], missing: 'sanctions' },
    { modules: ['sanctions'], missing: 'owners' },
  ] as const)('is 403 and not counted for a key with $modules alone', async ({ modules, missing }) => {
    const { status, body, headers } = await ask(app, { screening: true }, await app.keyFor(...modules));
    expect({ status, ...body }).toMatchObject({ status: 403, code: 'module_not_enabled', detail: expect.stringContaining(` ${missing} `) });
    expect(headers['usage-counted']).toBeUndefined();
  });

  it('leaves out candidates that the account has dismissed, and has them with their dismissal on request', async () => {
    const { owner_id: ownerId } = ownerOf(await ask(app, { screening: true }), LISTED_PERSON).screening;
    const input = { identifier: cnpj, ownerId, list: 'OFAC_SDN', entityId: '990050', reason: 'Born in another year.' };
    const dismissed = await app.query('mutation ($input: DismissMatchInput!) { dismissMatch(input: $input) { dismissedMatch { id } } }', {
      input,
    });
    const { id } = dismissed.body.data.dismissMatch.dismissedMatch;
    expect(ownerOf(await ask(app, { screening: true }), LISTED_PERSON).screening.candidates).toEqual([]);
    const all = await ask(app, { screening: true, include_dismissed: true });
    expect(ownerOf(all, LISTED_PERSON).screening.candidates).toMatchObject([
      { uid: '990050', dismissal: { id, reason: 'Born in another year.' } },
    ]);
    await app.query('mutation ($id: ID!) { reopenMatch(input: { id: $id }) { dismissedMatch { id } } }', { id });
  });

  it('has the decision about a candidate that waits for a second person', async () => {
    await createAccounts({ db: app.db, now: Date.now, actor: 'test' }).create({ name: 'two people', needsApproval: true });
    const { key } = await app.keys.create({ name: 'Ana', account: 'two people', modules: ['owners', 'sanctions'] });
    const { owner_id: ownerId } = ownerOf(await ask(app, { screening: true }, key), LISTED_PERSON).screening;
    const input = { identifier: cnpj, ownerId, list: 'OFAC_SDN', entityId: '990050', reason: 'Born in another year.' };
    await app.query('mutation ($input: DismissMatchInput!) { dismissMatch(input: $input) { dismissedMatch { id } } }', { input }, key);
    expect(ownerOf(await ask(app, { screening: true }, key), LISTED_PERSON).screening.candidates).toMatchObject([
      { uid: '990050', dismissal: null, waiting_decision: { outcome: 'dismissed', reason: input.reason, decided_by_name: 'Ana' } },
    ]);
  });
});

describe('the candidates of an owner in a reply', () => {
  it.each([
    [1, 20],
    [250, 20],
    [251, 19],
    [5_000, 1],
    [50_000, 1],
  ])('of %d owners are at most %d', (owners, most) => {
    expect(candidatesPerOwner(owners)).toBe(most);
  });

  it('are the best ones', () => {
    const candidate = (score: number) => ({ score, programs: [], countries: [], nationalities: [], datesOfBirth: [], dismissal: null });
    const screening = {
      candidates: [candidate(1), candidate(0.9), candidate(0.8)],
      listsChecked: [],
      listsNotChecked: [],
      freshness: null,
    };
    const { candidates } = toOwnerScreeningReply('id', screening as unknown as OwnerScreening, 2);
    expect(candidates?.map(({ score }) => score)).toEqual([1, 0.9]);
  });
});

describe('the screening of owners over REST, while lists were never loaded', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await appWithFaults({ OFAC_SDN: 'status_500', CEIS: 'status_500' });
  }, 120_000);
  afterAll(() => app.close());

  it('is 200 with the reasons: null where no candidate was found, else the candidates of the other lists', async () => {
    const answer = await ask(app, { screening: true });
    const gaps = ['OFAC_SDN', 'CEIS'].map((list_name) => ({ list_name, reason: 'source_unavailable' }));
    expect(answer.status).toBe(200);
    expect(ownerOf(answer, maskedCpf(64)).screening).toMatchObject({
      candidates: null,
      lists_checked: LISTS.filter((list) => !gaps.some(({ list_name }) => list_name === list)),
      lists_not_checked: gaps,
    });
    expect(ownerOf(answer, maskedCpf(401)).screening).toMatchObject({
      candidates: [{ list_name: 'TRABALHO_ESCRAVO' }],
      lists_not_checked: gaps,
    });
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { auditLog } from '../../../src/audit/audit-log.ts';
import { createAccounts } from '../../../src/auth/accounts/accounts.ts';
import { type TestApp, testApp } from '../../support/app.ts';

const homonym = companyByScenario('homonym').cnpj;
const OFAC = { identifier: homonym, list: 'OFAC_SDN', entityId: '990040' };
const REASON = 'Founded later.';

let app: TestApp;
let ana: string;
let bruno: string;
let carla: string;
let stranger: string;
const clock = { offset: 0 };
const accounts = () => createAccounts({ db: app.db, now: Date.now, actor: 'test' });
beforeAll(async () => {
  app = await testApp({ now: () => Date.now() + clock.offset });
  for (const name of ['two people', 'others']) await accounts().create({ name, needsApproval: true });
  const keyOf = async (name: string, account: string) =>
    (await app.keys.create({ name, account, modules: ['sanctions'], role: 'decide' })).key;
  ana = await keyOf('Ana', 'two people');
  bruno = await keyOf('Bruno', 'two people');
  carla = await keyOf('Carla', 'two people');
  stranger = await keyOf('Bruno', 'others');
}, 120_000);
afterAll(() => app.close());
beforeEach(() => app.db.raw('TRUNCATE match_dismissals, match_confirmations, waiting_dismissals, waiting_confirmations'));

const FIELDS = 'id isWaiting decidedBy { name } approvedBy { name }';
const dismiss = async (key: string) =>
  (
    await app.query(
      `mutation ($input: DismissMatchInput!) { dismissMatch(input: $input) { dismissedMatch { ${FIELDS} } } }`,
      { input: { ...OFAC, reason: REASON } },
      key,
    )
  ).body.data.dismissMatch.dismissedMatch;
const confirm = async (key: string) =>
  (
    await app.query(
      `mutation ($input: ConfirmMatchInput!) { confirmMatch(input: $input) { confirmedMatch { ${FIELDS} } } }`,
      { input: { ...OFAC, reason: REASON } },
      key,
    )
  ).body.data.confirmMatch.confirmedMatch;
const approve = async (what: 'Dismissal' | 'Confirmation', id: string, key: string) =>
  (
    await app.query(
      `mutation ($id: ID!) { approved: approve${what}(input: { id: $id }) { match: ${what === 'Dismissal' ? 'dismissedMatch' : 'confirmedMatch'} { ${FIELDS} } } }`,
      { id },
      key,
    )
  ).body;
const reopen = async (id: string, key: string) =>
  (await app.query('mutation ($id: ID!) { reopenMatch(input: { id: $id }) { dismissedMatch { id } } }', { id }, key)).body;
const shown = async (key: string): Promise<readonly string[]> =>
  (
    await app.query(`{ company(identifier: "${homonym}") { sanctions { possibleMatches { entityId } } } }`, {}, key)
  ).body.data.company.sanctions.possibleMatches.map(({ entityId }: { entityId: string }) => entityId);
const listed = async (isWaiting: boolean, key: string): Promise<readonly string[]> =>
  (
    await app.query('query ($w: Boolean) { dismissedMatches(filter: { isWaiting: $w }) { nodes { id } } }', { w: isWaiting }, key)
  ).body.data.dismissedMatches.nodes.map(({ id }: { id: string }) => id);

describe('a decision of an account that needs approval', () => {
  it('changes nothing until another key approves it, and then names both', async () => {
    const { id, ...waiting } = await dismiss(ana);
    expect(waiting).toEqual({ isWaiting: true, decidedBy: { name: 'Ana' }, approvedBy: null });
    expect(await shown(bruno)).toContain(OFAC.entityId);
    expect([await listed(true, bruno), await listed(false, bruno)]).toEqual([[id], []]);
    const { data } = await approve('Dismissal', id, bruno);
    expect(data.approved.match).toEqual({ id, isWaiting: false, decidedBy: { name: 'Ana' }, approvedBy: { name: 'Bruno' } });
    expect(await shown(ana)).not.toContain(OFAC.entityId);
    expect([await listed(true, ana), await listed(false, ana)]).toEqual([[], [id]]);
    const actions = (await auditLog(app.db, { since: 0, subject: id })).map(({ action }) => action);
    expect(actions).toEqual(['match.dismissal_proposed', 'match.dismissed']);
  });

  it('is not approved by the person who made it, with the same key or another one of that name, nor by another account', async () => {
    const { id } = await dismiss(ana);
    const again = (await app.keys.create({ name: ' ANA', account: 'two people', modules: ['sanctions'], role: 'decide' })).key;
    for (const key of [ana, again])
      expect((await approve('Dismissal', id, key)).errors).toMatchObject([{ extensions: { code: 'SECOND_PERSON_NEEDED' } }]);
    expect((await approve('Dismissal', id, stranger)).errors).toMatchObject([{ extensions: { code: 'DISMISSAL_NOT_FOUND' } }]);
    expect(await listed(true, ana)).toEqual([id]);
    expect(await shown(ana)).toContain(OFAC.entityId);
  });

  it('is approved once if two people approve it at the same time', async () => {
    const { id } = await dismiss(ana);
    const answers = await Promise.all([bruno, carla].map((key) => approve('Dismissal', id, key)));
    expect(answers.flatMap(({ errors = [] }) => errors.map((one: { extensions: { code: string } }) => one.extensions.code))).toEqual([
      'DISMISSAL_NOT_FOUND',
    ]);
    const actions = (await auditLog(app.db, { since: 0, subject: id })).map(({ action }) => action);
    expect(actions).toEqual(['match.dismissal_proposed', 'match.dismissed']);
  });

  it('is withdrawn or approved, never both, if both happen at the same time', async () => {
    const { id } = await dismiss(ana);
    const [withdrawn, approved] = await Promise.all([reopen(id, ana), approve('Dismissal', id, bruno)]);
    const isInForce = (await listed(false, ana)).length === 1;
    expect(isInForce).toBe(approved.errors === undefined && withdrawn.errors !== undefined);
    expect(await listed(true, ana)).toEqual([]);
  });

  it('is rejected by reopening it, and cannot be approved afterwards', async () => {
    const { id } = await dismiss(ana);
    expect((await reopen(id, bruno)).data.reopenMatch.dismissedMatch).toEqual({ id });
    expect((await approve('Dismissal', id, bruno)).errors).toMatchObject([{ extensions: { code: 'DISMISSAL_NOT_FOUND' } }]);
    expect(await listed(true, ana)).toEqual([]);
  });

  it('leaves the opposite decision in force until it is approved', async () => {
    const dismissal = await dismiss(ana);
    await approve('Dismissal', dismissal.id, bruno);
    const confirmation = await confirm(bruno);
    expect(await listed(false, ana)).toEqual([dismissal.id]);
    const { data } = await approve('Confirmation', confirmation.id, ana);
    expect(data.approved.match).toMatchObject({ isWaiting: false, decidedBy: { name: 'Bruno' }, approvedBy: { name: 'Ana' } });
    expect(await listed(false, ana)).toEqual([]);
  });

  it('replaces a waiting one about the same candidate, which cannot be approved any more', async () => {
    const first = await dismiss(ana);
    const second = await dismiss(bruno);
    expect((await approve('Dismissal', first.id, carla)).errors).toMatchObject([{ extensions: { code: 'DISMISSAL_NOT_FOUND' } }]);
    expect(await listed(true, ana)).toEqual([second.id]);
    await confirm(ana);
    expect(await listed(true, ana)).toEqual([]);
  });

  it('stands beside its candidate, and is found by its id', async () => {
    const { id } = await dismiss(ana);
    const query = `query ($id: ID!) {
      node(id: $id) { ... on DismissedMatch { isWaiting } }
      company(identifier: "${homonym}") { sanctions { possibleMatches { entityId dismissal { id } waitingDecision { id outcome reason decidedBy { name } } } } }
    }`;
    const { data } = (await app.query(query, { id }, bruno)).body;
    expect(data.node).toEqual({ isWaiting: true });
    const { possibleMatches } = data.company.sanctions;
    expect(possibleMatches.find(({ entityId }: { entityId: string }) => entityId === OFAC.entityId)).toMatchObject({
      dismissal: null,
      waitingDecision: { id, outcome: 'DISMISSED', reason: REASON, decidedBy: { name: 'Ana' } },
    });
  });

  it('stands beside its candidate over REST until it is approved or rejected', async () => {
    const waiting = async () => {
      const { body } = await app.post('/v1/sanctions', { identifier: homonym, country: 'BR', include_dismissed: true }, bruno);
      return body.possible_matches.find(({ uid }: { uid: string }) => uid === OFAC.entityId).waiting_decision;
    };
    expect(await waiting()).toBeUndefined();
    const { id } = await dismiss(ana);
    const decided = { reason: REASON, decided_at: expect.any(String), decided_by: expect.any(String), decided_by_name: 'Ana' };
    expect(await waiting()).toEqual({ id, outcome: 'dismissed', ...decided });
    await approve('Dismissal', id, bruno);
    expect(await waiting()).toBeUndefined();
    const confirmation = await confirm(ana);
    expect(await waiting()).toMatchObject({ id: confirmation.id, outcome: 'confirmed' });
  });

  it('is made about several candidates at once, each of which waits', async () => {
    const query = `mutation ($input: DismissMatchesInput!) { dismissMatches(input: $input) { results { dismissedMatch { id isWaiting } } } }`;
    const { data } = (await app.query(query, { input: { matches: [OFAC], reason: REASON } }, ana)).body;
    expect(data.dismissMatches.results).toMatchObject([{ dismissedMatch: { isWaiting: true } }]);
    expect(await shown(ana)).toContain(OFAC.entityId);
  });

  it('names both people in the files and, over REST, beside the candidate', async () => {
    const { id } = await confirm(ana);
    const csvOf = async (isWaiting: boolean): Promise<string> =>
      (
        await app.query(
          'query ($w: Boolean) { confirmedMatches(filter: { isWaiting: $w }) { csv(language: ES) } }',
          { w: isWaiting },
          bruno,
        )
      ).body.data.confirmedMatches.csv;
    expect(await csvOf(true)).toMatch(/Aprobado por[\s\S]*Ana[\s\S]*espera aprobación/);
    await approve('Confirmation', id, bruno);
    expect(await csvOf(false)).toMatch(/Ana,[^,]*,[^,]*,Bruno,20/);
    const { body } = await app.post('/v1/sanctions', { identifier: homonym, country: 'BR' }, bruno);
    const confirmed = body.possible_matches.find(({ uid }: { uid: string }) => uid === OFAC.entityId);
    expect(confirmed.confirmation).toMatchObject({ confirmed_by_name: 'Ana', approved_by_name: 'Bruno' });
  });

  it('takes effect at once after the account no longer needs approval', async () => {
    await accounts().update('others', { needsApproval: false });
    clock.offset += 5_000;
    expect(await dismiss(stranger)).toMatchObject({ isWaiting: false, approvedBy: null });
    expect(await shown(stranger)).not.toContain(OFAC.entityId);
  });
});

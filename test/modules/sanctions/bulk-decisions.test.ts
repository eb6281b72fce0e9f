import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { auditLog } from '../../../src/audit/audit-log.ts';
import { createAccounts } from '../../../src/auth/accounts/accounts.ts';
import { MAX_REVIEWS } from '../../../src/modules/sanctions/domain/review.ts';
import { type JudgedCandidate, reviewService } from '../../../src/modules/sanctions/service/reviews.ts';
import { type TestApp, testApp } from '../../support/app.ts';

const homonym = companyByScenario('homonym').cnpj;
const OFAC = { identifier: homonym, list: 'OFAC_SDN', entityId: '990040' };
const UN = { identifier: homonym, list: 'UN_CONSOLIDATED', entityId: '6990001' };
const REASON = 'All founded later.';
const NO_CANDIDATE = { ...OFAC, entityId: '1' };

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
  await createAccounts({ db: app.db, now: Date.now, actor: 'test' }).create({ name: 'two people', needsApproval: true });
}, 120_000);
afterAll(() => app.close());
beforeEach(() => app.db.raw('TRUNCATE match_dismissals, match_confirmations, waiting_dismissals, waiting_confirmations'));

const MUTATIONS = {
  dismissed: `mutation ($input: DismissMatchesInput!) { decided: dismissMatches(input: $input) {
    results { match: dismissedMatch { id entityId reason decidedBy { name } } error { code message field } } } }`,
  confirmed: `mutation ($input: ConfirmMatchesInput!) { decided: confirmMatches(input: $input) {
    results { match: confirmedMatch { id entityId reason decidedBy { name } } error { code message field } } } }`,
};
type Outcome = keyof typeof MUTATIONS;
const decide = async (outcome: Outcome, matches: readonly object[], { reason = REASON, key }: { reason?: string; key?: string } = {}) =>
  (await app.query(MUTATIONS[outcome], { input: { matches, reason } }, key)).body;
const stored = async () => ({
  dismissed: Number((await app.db('match_dismissals').count())[0]?.count),
  confirmed: Number((await app.db('match_confirmations').count())[0]?.count),
});
/** A key of its own, because a key may decide about 120 candidates a minute. */
const freshKey = async () => (await app.keys.create({ name: 'Ana Souza', account: 'test', modules: ['sanctions'] })).key;

describe('a decision about several candidates', () => {
  it.each(['dismissed', 'confirmed'] as const)('stores each candidate as %s, with one reason and the name of the key', async (outcome) => {
    const { data, errors } = await decide(outcome, [OFAC, UN], { key: await freshKey() });
    expect(errors).toBeUndefined();
    const match = { id: expect.any(String), reason: REASON, decidedBy: { name: 'Ana Souza' } };
    expect(data.decided.results).toEqual([
      { match: { ...match, entityId: OFAC.entityId }, error: null },
      { match: { ...match, entityId: UN.entityId }, error: null },
    ]);
    expect(await stored()).toEqual({ dismissed: 0, confirmed: 0, [outcome]: 2 });
    for (const { match: one } of data.decided.results)
      expect(await auditLog(app.db, { since: 0, subject: one.id })).toMatchObject([{ action: `match.${outcome}` }]);
  });

  it('has an error for each candidate that is not found or given wrongly, in their order, and decides about the others', async () => {
    const { data } = await decide('dismissed', [NO_CANDIDATE, OFAC, { ...UN, identifier: '1' }], { key: await freshKey() });
    expect(data.decided.results).toEqual([
      { match: null, error: { code: 'MATCH_NOT_FOUND', message: expect.stringMatching(/no such candidate/), field: null } },
      { match: expect.objectContaining({ entityId: OFAC.entityId }), error: null },
      { match: null, error: { code: 'INVALID_INPUT', message: expect.any(String), field: 'identifier' } },
    ]);
    expect(await stored()).toEqual({ dismissed: 1, confirmed: 0 });
  });

  it('replaces earlier decisions', async () => {
    const key = await freshKey();
    await decide('dismissed', [OFAC, UN], { key });
    await decide('confirmed', [OFAC, UN], { key });
    expect(await stored()).toEqual({ dismissed: 0, confirmed: 2 });
  });

  it.each([
    ['takes effect at once', 'test'],
    ['waits for approval', 'two people'],
  ])('is one decision for a candidate that is given several times, if it %s', async (_, account) => {
    const { key } = await app.keys.create({ name: 'Ana Souza', account, modules: ['sanctions'] });
    for (const outcome of ['dismissed', 'confirmed'] as const) {
      const { data, errors } = await decide(outcome, [OFAC, UN, OFAC, NO_CANDIDATE, OFAC], { key });
      expect(errors).toBeUndefined();
      const ids = data.decided.results.map(({ match }: { match: { id: string } | null }) => match?.id);
      expect(ids).toEqual([ids[0], expect.any(String), ids[0], undefined, ids[0]]);
      expect(ids[1]).not.toBe(ids[0]);
      const query = 'query ($id: ID!) { node(id: $id) { id } }';
      expect((await app.query(query, { id: ids[0] }, key)).body.data.node).toEqual({ id: ids[0] });
      expect(await auditLog(app.db, { since: 0, subject: ids[0] })).toHaveLength(1);
    }
  });

  it('has as many statements for 100 candidates as for one, and the order and entries of single decisions', async () => {
    const caller = (await app.keys.find(await freshKey())) ?? expect.fail();
    const candidates = (from: number, count: number) =>
      Array.from({ length: count }, (_, i) => ({
        company: { country: 'BR' as const, taxId: String(from + i).padStart(14, '0') },
        ownerId: null,
        list: 'OFAC_SDN' as const,
        entityId: `${from + i}`,
        entryName: `Party ${from + i}`,
        recordDigest: 'ab'.repeat(32),
      })) satisfies readonly JudgedCandidate[];
    const statementsOf = async (outcome: Outcome, count: number): Promise<number> => {
      const statements: string[] = [];
      const note = ({ sql }: { readonly sql: string }) => /match_|waiting_|audit_log/.test(sql) && statements.push(sql);
      app.db.on('query', note);
      const given = candidates(1_000, count);
      const decided = await app
        .open(reviewService)
        .decideAll(caller, outcome, given, REASON)
        .finally(() => app.db.removeListener('query', note));
      expect(decided.map(({ entityId }) => entityId)).toEqual(given.map(({ entityId }) => entityId));
      return statements.length;
    };
    for (const outcome of ['dismissed', 'confirmed'] as const)
      expect(await statementsOf(outcome, 100)).toBe(await statementsOf(outcome, 1));
    expect(await stored()).toEqual({ dismissed: 0, confirmed: 100 });
    const entries = (await auditLog(app.db, { since: 0, subject: 'cfm_' })).slice(-101, -1);
    expect(entries.map(({ facts }) => facts?.entity_id)).toEqual(candidates(1_000, 100).map(({ entityId }) => entityId));
  });

  it('stores nothing if the account would have more than 10,000', async () => {
    const { rows } = await app.db.raw('SELECT id FROM accounts WHERE name = ?', ['test']);
    await app.db.raw(
      `INSERT INTO match_dismissals SELECT gen_random_uuid(), ?, 'BR', n::text, 'OFAC_SDN', 'x', 'x', '', 'x', gen_random_uuid(), now() FROM generate_series(1, ?) n`,
      [rows[0].id, MAX_REVIEWS - 1],
    );
    const { data, errors } = await decide('dismissed', [OFAC, UN], { key: await freshKey() });
    expect([data.decided, errors[0].extensions.code]).toEqual([null, 'PLAN_LIMIT_REACHED']);
    expect(await stored()).toEqual({ dismissed: MAX_REVIEWS - 1, confirmed: 0 });
  });

  it.each([
    ['no candidate', [], REASON, { code: 'INVALID_INPUT', field: 'matches' }],
    ['more than 100', Array(101).fill(OFAC), REASON, { code: 'INVALID_INPUT', field: 'matches' }],
    ['a blank reason', [OFAC], ' ', { code: 'INVALID_INPUT', field: 'reason' }],
  ])('is refused for %s', async (_, matches, reason, extensions) => {
    expect(await decide('dismissed', matches, { reason, key: await freshKey() })).toMatchObject({
      data: { decided: null },
      errors: [{ extensions }],
    });
    expect(await stored()).toEqual({ dismissed: 0, confirmed: 0 });
  });

  it('counts each candidate towards the rate limit, and says when all of them can be decided about', async () => {
    const key = await freshKey();
    const many = (count: number) => Array(count).fill(NO_CANDIDATE);
    expect((await decide('dismissed', many(100), { key })).errors).toBeUndefined();
    const { errors } = await decide('dismissed', many(100), { key });
    expect(errors[0].extensions.code).toBe('RATE_LIMITED');
    expect(errors[0].extensions.retryAfterSeconds).toBeGreaterThan(30); // 80 candidates are missing, at 2 a second
    expect((await decide('dismissed', many(10), { key })).errors).toBeUndefined();
  });

  it('needs module sanctions', async () => {
    const { errors } = await decide('confirmed', [OFAC], { key: await app.keyFor('kyb') });
    expect(errors).toMatchObject([{ extensions: { code: 'MODULE_NOT_ENABLED', module: 'SANCTIONS' } }]);
  });
});

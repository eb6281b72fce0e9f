import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { maskedCpf } from '../../../sandbox/world/brazil/company.ts';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { auditLog } from '../../../src/audit/audit-log.ts';
import { type TestApp, testApp } from '../../support/app.ts';

const cnpj = companyByScenario('owners-listed').cnpj;
const LISTED_PERSON = 'PEDRO EJEMPLO INVENTADO';
const OFAC = { list: 'OFAC_SDN', entityId: '990050' };
const REASON = 'Born in another year.';

const DISMISS = `mutation ($input: DismissMatchInput!) { dismissMatch(input: $input) { dismissedMatch {
  id ownerId list entityId company { identifier } } } }`;
const REOPEN = 'mutation ($id: ID!) { reopenMatch(input: { id: $id }) { dismissedMatch { id } } }';
const CANDIDATES = 'candidates { list entityId dismissal { id reason ownerId } }';
const OWNERS = `query ($id: String!, $all: Boolean) { company(identifier: $id) {
  owners { owners { id name identifier screening(includeDismissed: $all) { ${CANDIDATES} } } } } }`;

interface ScreenedOwner {
  readonly id: string;
  readonly name: string;
  readonly identifier: string | null;
  readonly screening: { readonly candidates: readonly { readonly list: string; readonly entityId: string; readonly dismissal: unknown }[] };
}

describe('dismissed candidates of owners', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await testApp();
  }, 120_000);
  afterAll(() => app.close());
  afterEach(async () => {
    const { body } = await app.query('{ dismissedMatches { nodes { id } } }');
    for (const { id } of body.data.dismissedMatches.nodes) await app.query(REOPEN, { id });
  });

  /** An owner, by name or masked CPF, with its candidates. */
  async function owner(one: string, { all = false, key }: { all?: boolean; key?: string } = {}): Promise<ScreenedOwner> {
    const { body } = await app.query(OWNERS, { id: cnpj, all }, key);
    const owners: readonly ScreenedOwner[] = body.data.company.owners.owners;
    const found = owners.find(({ name, identifier }) => one === name || one === identifier);
    if (!found) throw new Error(`no such owner: ${one}`);
    return found;
  }
  const dismiss = (input: object, key?: string) =>
    app.query(DISMISS, { input: { identifier: cnpj, ...OFAC, reason: REASON, ...input } }, key);

  it('are left out of the screening of the owner, and are given with their dismissal when they are requested', async () => {
    const { id: ownerId } = await owner(LISTED_PERSON);
    const { dismissedMatch } = (await dismiss({ ownerId })).body.data.dismissMatch;
    expect(dismissedMatch).toEqual({ id: expect.stringMatching(/^dsm_/), ownerId, ...OFAC, company: { identifier: cnpj } });
    expect((await owner(LISTED_PERSON)).screening.candidates).toEqual([]);
    expect((await owner(LISTED_PERSON, { all: true })).screening.candidates).toEqual([
      { ...OFAC, dismissal: { id: dismissedMatch.id, reason: REASON, ownerId } },
    ]);
  });

  it('are left out of the consolidated check, also for a key that has only its module', async () => {
    const { id: ownerId } = await owner(LISTED_PERSON);
    await dismiss({ ownerId });
    const query = `query ($id: String!) { company(identifier: $id) { compliance { checks { owners { owners { id screening { ${CANDIDATES} } } } } } } }`;
    const { body } = await app.query(query, { id: cnpj }, await app.keyFor('compliance_br'));
    const owners: readonly ScreenedOwner[] = body.data.company.compliance.checks.owners.owners;
    expect(owners.find(({ id }) => id === ownerId)?.screening.candidates).toEqual([]);
  });

  it('are not those of the company, nor of another owner of it', async () => {
    const { id: ownerId } = await owner(LISTED_PERSON);
    const { id: otherId } = await owner(maskedCpf(64));
    expect((await dismiss({})).body.errors).toMatchObject([{ extensions: { code: 'MATCH_NOT_FOUND' } }]);
    expect((await dismiss({ ownerId: otherId })).body.errors).toMatchObject([{ extensions: { code: 'MATCH_NOT_FOUND' } }]);
    await dismiss({ ownerId });
    await app.db('match_dismissals').update({ owner_id: otherId });
    expect((await owner(LISTED_PERSON)).screening.candidates).toMatchObject([OFAC]);
  });

  it.each([
    ['of OFAC', LISTED_PERSON],
    ['of CEIS', maskedCpf(200)],
    ['of the employers', maskedCpf(401)],
  ])('are shown again when the record of the list %s changes, and after reopening', async (_, name) => {
    const { id: ownerId, screening } = await owner(name);
    const [{ list, entityId } = OFAC] = screening.candidates;
    const shown = async () => (await owner(name)).screening.candidates.map((one) => [one.list, one.entityId]);
    const { id } = (await dismiss({ ownerId, list, entityId })).body.data.dismissMatch.dismissedMatch;
    expect(await shown()).not.toContainEqual([list, entityId]);
    await app.db('match_dismissals').update({ record_digest: Buffer.from('another record') });
    expect(await shown()).toContainEqual([list, entityId]);
    expect((await dismiss({ ownerId, list, entityId })).body.data.dismissMatch.dismissedMatch.id).toBe(id);
    expect(await shown()).not.toContainEqual([list, entityId]);
    await app.query(REOPEN, { id });
    expect(await shown()).toContainEqual([list, entityId]);
  });

  it('are in the CSV file and in the audit log with the id of the owner, and without name or reason in the log', async () => {
    const { id: ownerId } = await owner(LISTED_PERSON);
    const { id } = (await dismiss({ ownerId })).body.data.dismissMatch.dismissedMatch;
    const { csv } = (await app.query('{ dismissedMatches { csv } }')).body.data.dismissedMatches;
    const [header, row] = csv.split('\r\n');
    expect([header.split(',').at(-4), row.split(',').at(-4)]).toEqual(['owner_id', ownerId]);
    const entries = await auditLog(app.db, { since: 0, subject: id });
    expect(entries).toMatchObject([{ action: 'match.dismissed', facts: { company: `BR:${cnpj}`, owner: ownerId, list: OFAC.list } }]);
    expect(JSON.stringify(entries)).not.toMatch(/PEDRO|Born in/);
  });

  it('count no usage', async () => {
    const { id: ownerId } = await owner(LISTED_PERSON);
    const key = await app.keyFor('sanctions', 'owners');
    expect((await dismiss({ ownerId }, key)).body.errors).toBeUndefined();
    const { body } = await app.query('{ apiKey { usage { module used } } }', {}, key);
    expect(body.data.apiKey.usage.filter(({ used }: { used: number }) => used > 0)).toEqual([]);
  });

  it.each([
    ['an owner that the company does not have', { ownerId: `${cnpj}:unknown` }, { code: 'MATCH_NOT_FOUND' }],
    ['a name beside the owner', { ownerId: `${cnpj}:unknown`, name: 'X' }, { code: 'INVALID_INPUT', field: 'name' }],
    ['an owner that a Chilean company does not have', { ownerId: 'x', identifier: '67.000.001-K' }, { code: 'MATCH_NOT_FOUND' }],
  ])('are refused for %s', async (_, input, extensions) => {
    expect((await dismiss(input)).body).toMatchObject({ data: { dismissMatch: null }, errors: [{ extensions }] });
  });

  it('need a key that is given owners', async () => {
    const { id: ownerId } = await owner(LISTED_PERSON);
    const { body } = await dismiss({ ownerId }, await app.keyFor('sanctions'));
    expect(body.errors).toMatchObject([{ extensions: { code: 'MODULE_NOT_ENABLED', module: 'OWNERS' } }]);
  });
});

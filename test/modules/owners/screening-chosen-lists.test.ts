import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { createAccounts } from '../../../src/auth/accounts/accounts.ts';
import type { OptionalList } from '../../../src/domain/optional-lists.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { appWithFaults } from '../../support/app-with-faults.ts';
import { LISTS } from './list-reads.ts';

const { cnpj } = companyByScenario('owners-listed');
const CHOSEN: readonly OptionalList[] = ['CEPIM', 'ACORDO_LENIENCIA', 'EU_CONSOLIDATED'];
/** A person who has the name of one on the list of the EU, and of nobody on the other lists. */
const PERSON = 'NEUSA DA SILVA INVENTADA';

let app: TestApp;
let key: string;
beforeAll(async () => {
  app = await testApp();
  await createAccounts({ db: app.db, now: Date.now, actor: 'operator ana' }).create({ name: 'european', lists: CHOSEN });
  const modules = ['owners', 'sanctions', 'debarment', 'labor', 'compliance_br'] as const;
  ({ key } = await app.keys.create({ account: 'european', name: 'eu', modules: [...modules] }));
});
afterAll(() => app.close());

const FIELDS =
  'owners { owners { id name entityType screening { candidates { list entityId } listsChecked listsNotChecked { list reason } } } }';

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects of an answer
type Reply = any;

async function ownersFor(of?: string): Promise<readonly Reply[]> {
  const { body } = await app.query(`{ company(identifier: "${cnpj}") { ${FIELDS} } }`, {}, of);
  expect(body.errors).toBeUndefined();
  return body.data.company.owners.owners;
}
const named = (owners: readonly Reply[], name: string): Reply => owners.find((one) => one.name === name).screening;
const candidatesOn = (owners: readonly Reply[], list: string): readonly string[] =>
  owners.flatMap(({ name, screening }) => (screening.candidates ?? []).flatMap((one: Reply) => (one.list === list ? [name] : [])));

describe('the lists that an account has chosen', () => {
  it('are compared with its owners beside the others, and not with those of other accounts', async () => {
    const own = await ownersFor(key);
    expect(named(own, PERSON).listsChecked).toEqual([...LISTS, 'EU_CONSOLIDATED']);
    expect(candidatesOn(own, 'EU_CONSOLIDATED')).toEqual([PERSON]);
    const others = await ownersFor();
    expect(candidatesOn(others, 'EU_CONSOLIDATED')).toEqual([]);
    expect(others.flatMap(({ screening }) => screening.listsChecked)).not.toContain('EU_CONSOLIDATED');
  });

  it('are compared with companies alone where the list is read for companies, and agreements are not compared', async () => {
    const own = await ownersFor(key);
    const company = own.find(({ entityType }) => entityType === 'COMPANY').screening;
    expect(company.listsChecked).toEqual([...LISTS, 'EU_CONSOLIDATED', 'CEPIM']);
    expect(named(own, PERSON).listsNotChecked).toContainEqual({ list: 'CEPIM', reason: 'COMPANIES_ONLY' });
  });

  it('count in the owners to review of the consolidated check', async () => {
    const query = `{ company(identifier: "${cnpj}") { compliance { ownersToReview { total } } } }`;
    const totalFor = async (of?: string) => (await app.query(query, {}, of)).body.data.company.compliance.ownersToReview.total;
    expect((await totalFor(key)) - (await totalFor())).toBe(1);
  });

  it('have candidates of owners that can be dismissed', async () => {
    const own = await ownersFor(key);
    const owner = own.find(({ name }) => name === PERSON);
    const { entityId } = owner.screening.candidates.find((one: Reply) => one.list === 'EU_CONSOLIDATED');
    const input = { identifier: cnpj, ownerId: owner.id, list: 'EU_CONSOLIDATED', entityId, reason: 'Another person.' };
    const mutation = 'mutation ($input: DismissMatchInput!) { dismissMatch(input: $input) { dismissedMatch { list } } }';
    expect((await app.query(mutation, { input }, key)).body.data.dismissMatch.dismissedMatch).toEqual({ list: 'EU_CONSOLIDATED' });
    expect(candidatesOn(await ownersFor(key), 'EU_CONSOLIDATED')).toEqual([]);
  });

  it('are named in the reply of REST', async () => {
    const { body } = await app.post('/v1/owners', { identifier: cnpj, country: 'BR', screening: true }, key);
    const { screening } = body.owners.find((one: Reply) => one.entity_type === 'company');
    expect(screening.lists_checked).toEqual([...LISTS, 'EU_CONSOLIDATED', 'CEPIM']);
  });
});

describe('the sanctions lists that a request chooses for its owners', () => {
  const ownersWith = async (lists: string, of?: string) => {
    const fields = `owners { owners { name entityType screening(lists: ${lists}) { candidates { list } listsChecked listsNotChecked { list reason } } } }`;
    const { body } = await app.query(`{ company(identifier: "${cnpj}") { ${fields} } }`, {}, of);
    return { errors: body.errors, owners: body.data.company.owners?.owners as readonly Reply[] };
  };
  const OTHERS = LISTS.filter((list) => !['OFAC_SDN', 'UN_CONSOLIDATED'].includes(list));

  it('replace the sanctions lists, also those of the account, and leave the other lists', async () => {
    const { owners } = await ownersWith('[EU_CONSOLIDATED]');
    expect(named(owners, PERSON).listsChecked).toEqual(['EU_CONSOLIDATED', ...OTHERS]);
    expect(candidatesOn(owners, 'EU_CONSOLIDATED')).toEqual([PERSON]);
    const own = await ownersWith('[UN_CONSOLIDATED, UK_SANCTIONS]', key);
    expect(named(own.owners, PERSON).listsChecked).toEqual(['UN_CONSOLIDATED', 'UK_SANCTIONS', ...OTHERS]);
  });

  it('are those of every answer for null', async () => {
    expect(named((await ownersWith('null')).owners, PERSON).listsChecked).toEqual(LISTS);
  });

  it('are INVALID_INPUT if there is none, and change no price', async () => {
    const { errors } = await ownersWith('[]');
    expect(errors[0]).toMatchObject({ extensions: { code: 'INVALID_INPUT', field: 'lists' } });
    const counted = async (argument: string) => {
      const query = `{ company(identifier: "${cnpj}") { owners { owners { screening${argument} { listsChecked } } } } }`;
      return (await app.query(query)).body.extensions.cost.counted;
    };
    expect(await counted('(lists: [EU_CONSOLIDATED])')).toEqual(await counted(''));
  });
});

describe('a chosen list that cannot be read', () => {
  it('leaves an owner without a clearance, and only for the account that has chosen it', async () => {
    const faulty = await appWithFaults({ EU_CONSOLIDATED: 'down' });
    onTestFinished(() => faulty.close());
    await createAccounts({ db: faulty.db, now: Date.now, actor: 'operator ana' }).create({ name: 'european', lists: CHOSEN });
    const own = (await faulty.keys.create({ account: 'european', name: 'eu', modules: ['owners', 'sanctions'] })).key;
    const clear = companyByScenario('owners-level-1').cnpj;
    const screeningsFor = async (of?: string) =>
      (await faulty.query(`{ company(identifier: "${clear}") { ${FIELDS} } }`, {}, of)).body.data.company.owners.owners.map(
        ({ screening }: Reply) => screening,
      );
    const failed = { list: 'EU_CONSOLIDATED', reason: 'SOURCE_UNAVAILABLE' };
    for (const screening of await screeningsFor(own))
      expect(screening).toMatchObject({ candidates: null, listsNotChecked: expect.arrayContaining([failed]) });
    for (const screening of await screeningsFor()) expect(screening.listsNotChecked).not.toContainEqual(failed);
  });
});

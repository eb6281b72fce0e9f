import { type GraphQLResolveInfo, Kind, type OperationDefinitionNode, parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cnpjOf, maskedCpf, personName } from '../../../sandbox/world/brazil/company.ts';
import { companies, companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import type { RequestContext } from '../../../src/context.ts';
import { NO_LISTS } from '../../../src/domain/optional-lists.ts';
import { loadOwners } from '../../../src/modules/owners/graphql/screening.ts';
import { screenOwner } from '../../../src/modules/owners/loaders/screened-owners.ts';
import type { OwnerListScreening } from '../../../src/modules/owners/loaders/screening.ts';
import { SANCTIONS_LISTS } from '../../../src/modules/sanctions/domain.ts';
import { nextSlice } from '../../../src/scheduling/slices.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { appWithFaults } from '../../support/app-with-faults.ts';
import { LISTS, recordListReads } from './list-reads.ts';

const SCREENING = `screening { candidates { list entityId entryName matchedName matchedOn decision score explanation programs
  nationalities datesOfBirth startsOn endsOn }
  listsChecked listsNotChecked { list reason } freshness { cached } }`;
const OWNERS = `query ($id: String!) { company(identifier: $id) { owners { owners { name identifier ${SCREENING} } } } }`;
const cnpj = (scenario: string): string => companyByScenario(scenario).cnpj;

interface ScreenedOwner {
  readonly name: string;
  readonly identifier: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects of an answer
  readonly screening: any;
}

const NO_TAX_ID = ['CEIS', 'CNEP', 'TRABALHO_ESCRAVO'].map((list) => ({ list, reason: 'NO_TAX_ID' }));

/** The screening of one owner of a company, by name or by identifier. */
async function screened(app: TestApp, scenario: string, owner: string, key?: string) {
  const { body } = await app.query(OWNERS, { id: cnpj(scenario) }, key);
  const owners: readonly ScreenedOwner[] = body.data.company.owners.owners;
  return { screening: owners.find(({ name, identifier }) => owner === name || owner === identifier)?.screening, errors: body.errors };
}

describe('the screening of owners', () => {
  let app: TestApp;
  /** The lists that each look-up by key reads. */
  let reads: string[][];
  beforeAll(async () => {
    app = await testApp();
    reads = recordListReads(app);
  });
  afterAll(() => app.close());

  it('reads all lists in one statement for the owners of all companies, though the registry answers one company at a time', async () => {
    const query = `query ($ids: [String!]!) { companies(identifiers: $ids) { owners { owners { ${SCREENING} } } } }`;
    reads.length = 0;
    const { body } = await app.query(query, { ids: companies.slice(0, 80).map((company) => company.cnpj) }); // at most 250 owners, one slice
    const owners = body.data.companies.flatMap((company: { owners: { owners: ScreenedOwner[] } | null }) => company.owners?.owners ?? []);
    expect(owners.length).toBeGreaterThan(100);
    expect(owners.filter(({ screening }: ScreenedOwner) => screening.listsChecked.length < 2)).toEqual([]);
    expect(reads).toEqual([LISTS]);
  });

  it('finds a person on the list of OFAC by name, with dates of birth and nationalities as evidence', async () => {
    const { screening, errors } = await screened(app, 'owners-listed', 'PEDRO EJEMPLO INVENTADO');
    expect(errors).toBeUndefined();
    expect(screening).toMatchObject({ listsChecked: [...SANCTIONS_LISTS], listsNotChecked: NO_TAX_ID });
    expect(screening.candidates).toEqual([
      {
        list: 'OFAC_SDN',
        entityId: '990050',
        entryName: 'EJEMPLO INVENTADO, Pedro',
        matchedName: 'EJEMPLO INVENTADO, Pedro',
        matchedOn: 'NAME',
        decision: 'MATCH',
        score: 0.99,
        explanation: 'Same words: PEDRO, EJEMPLO, INVENTADO.',
        programs: ['SDNTK'],
        startsOn: null,
        endsOn: null,
        nationalities: ['Colombia'],
        datesOfBirth: ['01 Jan 1970', 'circa 1971'],
      },
    ]);
  });

  it('finds a person on the list of the UN', async () => {
    const { screening } = await screened(app, 'owners-listed', 'FULANO DE TAL MARROQUI');
    expect(screening.candidates).toContainEqual(
      expect.objectContaining({
        list: 'UN_CONSOLIDATED',
        entityId: '6991004',
        decision: 'MATCH',
        nationalities: ['Morocco'],
        datesOfBirth: ['circa 1970'],
      }),
    );
  });

  it('has an empty list for a person like nobody on the lists', async () => {
    const { screening } = await screened(app, 'owners-listed', maskedCpf(64));
    expect(screening).toMatchObject({ candidates: [], listsChecked: LISTS, listsNotChecked: [] });
  });

  it.each([
    ['CEIS, which prints the CPF in full', 200, 'CEIS', { programs: ['IMPEDIMENTO'], startsOn: '2023-10-19', endsOn: '2033-10-19' }],
    ['CEIS, which masks the CPF', 206, 'CEIS', { programs: ['IMPEDIMENTO'] }],
    ['CNEP', 301, 'CNEP', { programs: ['PUBLICAÇÃO EXTRAORDINÁRIA'] }],
    ['the list of employers', 401, 'TRABALHO_ESCRAVO', { programs: [], startsOn: '2024-04-05', endsOn: null }],
  ])('finds a person on %s, by name and the visible digits of the CPF', async (_, serial, list, facts) => {
    const { screening } = await screened(app, 'owners-listed', maskedCpf(serial));
    expect(screening.candidates[0]).toMatchObject({
      list,
      entryName: personName(serial),
      matchedOn: 'NAME_AND_CPF',
      decision: 'MATCH',
      explanation: expect.stringContaining(`Same visible digits of the CPF: ${maskedCpf(serial)}.`),
      ...facts,
    });
    expect(screening.listsNotChecked).toEqual([]);
  });

  it('has no candidate for a person with the name of a listed one and other digits of the CPF', async () => {
    expect(personName(109)).toBe(personName(200));
    expect((await screened(app, 'owners-listed', maskedCpf(109))).screening).toMatchObject({ candidates: [], listsChecked: LISTS });
  });

  it.each([
    ['debarment', '99030001', [{ list: 'CEIS', matchedOn: 'TAX_ID', programs: ['INIDONEIDADE'], endsOn: '2039-07-10' }]],
    ['forced labour', '99030020', [{ list: 'TRABALHO_ESCRAVO', matchedOn: 'TAX_ID', startsOn: '2024-10-07' }]],
    ['sanctions', '99030030', [{ list: 'OFAC_SDN', matchedOn: 'TAX_ID', entityId: '990001', score: 1, decision: 'MATCH' }]],
  ])('finds a company by its tax id: %s', async (_, root, candidates) => {
    const { screening } = await screened(app, 'owners-listed', cnpjOf(root));
    expect(screening).toMatchObject({ candidates, listsChecked: LISTS, listsNotChecked: [] });
  });

  it('finds a company by the root of its CNPJ, where another branch is listed', async () => {
    const { screening } = await screened(app, 'owners-listed', cnpjOf('99030005'));
    expect(screening.candidates).toMatchObject([
      { list: 'CEIS', matchedOn: 'ROOT', explanation: expect.stringMatching(/^Another branch/) },
    ]);
  });

  it('finds a foreign company by name alone, and says that lists by tax id were not searched', async () => {
    const { screening } = await screened(app, 'owners-listed', 'CONDOR IMAGINARIO TRADING LTDA');
    expect(screening.candidates).toMatchObject([
      { list: 'OFAC_SDN', entityId: '990040', matchedOn: 'NAME', decision: 'MATCH' },
      { list: 'UN_CONSOLIDATED', entityId: '6990001' },
    ]);
    expect(screening.listsNotChecked).toEqual(NO_TAX_ID);
  });

  it('compares people with people: a company with the name of a listed person has no candidate', async () => {
    const query = `query ($id: String!) { company(identifier: $id) { sanctions { possibleMatches(name: "PEDRO EJEMPLO INVENTADO") { list } } } }`;
    const { body } = await app.query(query, { id: cnpj('clean') });
    expect(body.data.company.sanctions.possibleMatches).toEqual([]);
  });

  it('changes no check and no verdict of the company, in the consolidated check too, and counts nothing more', async () => {
    const key = await app.keyFor('compliance_br');
    const query = `query ($id: String!) { company(identifier: $id) { compliance { riskLevel completeness riskReasons { code }
      checks { sanctions { isSanctioned matches { id } } owners { owners { name ${SCREENING} } } } } } }`;
    const { body } = await app.query(query, { id: cnpj('owners-listed') }, key);
    expect(body.errors).toBeUndefined();
    const { checks, ...verdict } = body.data.company.compliance;
    expect(verdict).toEqual({ riskLevel: 'LOW', completeness: 'COMPLETE', riskReasons: [] });
    expect(checks.sanctions).toEqual({ isSanctioned: false, matches: [] });
    expect(checks.owners.owners[0].screening.candidates).toHaveLength(1);
    expect(body.extensions.cost.counted).toEqual({ COMPLIANCE_BR: 1 });
  });

  it('needs the module of a list on the key beside owners, and counts the owners only', async () => {
    const alone = await screened(app, 'owners-listed', 'PEDRO EJEMPLO INVENTADO', await app.keyFor('owners'));
    expect(alone.screening).toBeNull();
    expect(alone.errors[0]).toMatchObject({ extensions: { code: 'MODULE_NOT_ENABLED', module: 'SANCTIONS' } });
    const key = await app.keyFor('owners', 'sanctions');
    const both = await app.query(OWNERS, { id: cnpj('owners-listed') }, key);
    expect(both.body.data.company.owners.owners[0].screening.candidates).toHaveLength(1);
    expect(both.body.extensions.cost.counted).toEqual({ OWNERS: 1 });
    const { screening } = await screened(app, 'owners-listed', maskedCpf(200), key);
    const notEnabled = ['CEIS', 'CNEP', 'TRABALHO_ESCRAVO'].map((list) => ({ list, reason: 'MODULE_NOT_ENABLED' }));
    expect(screening).toMatchObject({ candidates: [], listsChecked: [...SANCTIONS_LISTS], listsNotChecked: notEnabled });
  });
});

describe('owners that are loaded for a field', () => {
  const infoOf = (query: string) => {
    const { definitions } = parse(query);
    const fragments = Object.fromEntries(
      definitions.flatMap((one) => (one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one]] : [])),
    );
    const [operation] = definitions as [OperationDefinitionNode];
    return { fieldNodes: operation.selectionSet.selections, fragments } as unknown as GraphQLResolveInfo;
  };
  const loadedFor = (query: string) => {
    const owners = Promise.resolve('owners');
    return { owners, loaded: loadOwners({} as RequestContext, infoOf(query), () => owners) };
  };

  it('are the promise of the loader, without a further one, where no owner is screened', () => {
    const { owners, loaded } = loadedFor('{ owners { owners { name ...Who } } } fragment Who on Owner { role }');
    expect(loaded).toBe(owners);
  });

  it.each([
    '{ owners { owners { screening { listsChecked } } } }',
    '{ owners { ...All } } fragment All on O { owners { ... { s: screening { listsChecked } } } }',
  ])('are announced to the screenings that wait for them, in %s', async (query) => {
    const { owners, loaded } = loadedFor(query);
    expect(loaded).not.toBe(owners);
    expect(await loaded).toBe('owners');
  });
});

it('the screenings of 1,000 owners of one request let other work have its turn, one turn for 250 owners', async () => {
  const ctx = {
    caller: { accountId: 'none', lists: NO_LISTS },
    read: async () => false,
    ask: async () => ({ value: [], freshness: { fetchedAt: 0, dataAsOf: null, cached: true, stale: false, expiresAt: null } }),
  };
  const screenedBy = { module: 'owners', lists: [{ list: 'OFAC_SDN', module: 'sanctions' }] } as unknown as OwnerListScreening;
  const ofCompany = { country: 'BR', taxId: cnpj('clean') } as const;
  const owner = { id: 'x', ofCompany, screenedBy, entityType: 'individual', name: 'NAME', identifier: null } as const;
  let done = 0;
  const screenings = Array.from({ length: 1_000 }, async () => {
    await screenOwner(owner, ctx as unknown as RequestContext, { includeDismissed: false });
    done += 1;
  });
  const doneAtTurn: number[] = [];
  while (done < 1_000) {
    await nextSlice();
    doneAtTurn.push(done);
  }
  await Promise.all(screenings);
  expect(doneAtTurn.slice(0, 4)).toEqual([250, 500, 750, 1_000]);
});

describe('the screening of owners, while lists were never loaded', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await appWithFaults({ OFAC_SDN: 'status_500', CEIS: 'status_500' });
  }, 120_000);
  afterAll(() => app.close());
  const gaps = ['OFAC_SDN', 'CEIS'].map((list) => ({ list, reason: 'SOURCE_UNAVAILABLE' }));

  it('says which lists are missing, and is never an empty list of candidates', async () => {
    for (const owner of [maskedCpf(64), maskedCpf(200), cnpjOf('99030001')]) {
      const { screening } = await screened(app, 'owners-listed', owner);
      expect(screening).toMatchObject({ candidates: null, listsNotChecked: gaps });
      expect(screening.listsChecked).toEqual(LISTS.filter((list) => !gaps.some((gap) => gap.list === list)));
    }
  });

  it('still has the candidates of the other lists', async () => {
    expect((await screened(app, 'owners-listed', 'FULANO DE TAL MARROQUI')).screening.candidates).toMatchObject([
      { list: 'UN_CONSOLIDATED', entityId: '6991004' },
    ]);
    const { screening } = await screened(app, 'owners-listed', maskedCpf(401));
    expect(screening).toMatchObject({ candidates: [{ list: 'TRABALHO_ESCRAVO' }], listsNotChecked: gaps });
  });
});

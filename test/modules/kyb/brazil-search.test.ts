import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { madeUpCpf } from '../../../sandbox/world/brazil/company.ts';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { isoDate } from '../../../src/domain/time.ts';
import { importFolder } from '../../../src/sources/receita-federal/copy/import.ts';
import { folderOf, monthOf } from '../../sources/receita-copy/support.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { appWithCopy, importParts } from '../../support/registry-copy.ts';

const SEARCH = `query ($name: String!, $country: Country = BR, $filter: CompanyFilter, $first: Int, $after: String) {
  searchCompanies(name: $name, country: $country, filter: $filter, first: $first, after: $after) {
    nodes { name tradeName status municipality state openedOn matchedOn score company { identifier kyb { companyName status } } }
    edges { cursor } pageInfo { hasNextPage endCursor } isTruncated limitedBy searched dataAsOf freshness { dataAsOf }
  } }`;

let app: TestApp;
beforeAll(async () => {
  app = await appWithCopy();
}, 120_000);
afterAll(() => app.close());

const cnpjOf = (scenario: string): string => companyByScenario(scenario).cnpj;
const search = async (variables: Record<string, unknown>, key?: string) => (await app.query(SEARCH, variables, key)).body;
/** Returns the CNPJs that a search finds. */
async function found(name: string, filter?: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
  const { data, errors } = await search({ name, filter });
  expect(errors).toBeUndefined();
  return data.searchCompanies.nodes.map(({ company }: { company: { identifier: string } }) => company.identifier);
}
const [HEAD, BRANCH] = [cnpjOf('clean'), cnpjOf('clean-branch')];

describe('Query.searchCompanies in Brazil', () => {
  it('finds the establishments of a name, head offices first, with what the copy says about them', async () => {
    const { searchCompanies } = (await search({ name: 'Padaria Lua de Papel Ltda.' })).data;
    const common = { name: 'PADARIA LUA DE PAPEL LTDA', status: 'ACTIVE', matchedOn: 'LEGAL_NAME', score: 1 };
    const kyb = { companyName: 'PADARIA LUA DE PAPEL LTDA', status: 'ACTIVE' };
    expect(searchCompanies).toEqual({
      nodes: [
        {
          ...common,
          ...{ tradeName: 'LUA DE PAPEL', municipality: 'SAO PAULO', state: 'SP', openedOn: '2012-03-14' },
          company: { identifier: HEAD, kyb },
        },
        {
          ...common,
          ...{ tradeName: null, municipality: 'RIO DE JANEIRO', state: 'RJ', openedOn: '2019-05-02' },
          company: { identifier: BRANCH, kyb },
        },
      ],
      edges: [{ cursor: expect.any(String) }, { cursor: expect.any(String) }],
      pageInfo: { hasNextPage: false, endCursor: searchCompanies.edges[1].cursor },
      ...{ isTruncated: false, limitedBy: null, searched: ['LEGAL_NAME', 'TRADE_NAME'] },
      dataAsOf: expect.stringMatching(/^\d{4}-\d\d-14$/),
      freshness: { dataAsOf: searchCompanies.dataAsOf },
    });
  });

  it('finds a company by its trade name', async () => {
    const { nodes } = (await search({ name: 'merenda azeda' })).data.searchCompanies;
    expect(nodes).toMatchObject([{ name: 'MERENDA AZEDA ALIMENTOS LTDA', matchedOn: 'TRADE_NAME', score: 1 }]);
  });

  it.each([
    [{ status: 'INACTIVE' }, 'guarda-chuvas', ['branch-closed']],
    [{ status: 'ACTIVE' }, 'guarda chuvas', ['branch-open', 'branch-without-owners']],
    [{ state: 'rj' }, 'lua de papel', ['clean-branch']],
    [{ municipality: 'Rio de Janeiro' }, 'lua de papel', ['clean-branch']],
    [{ municipality: '7107' }, 'lua de papel', ['clean']],
    [{ activity: '10' }, 'lua', ['clean', 'clean-branch']],
    [{ activity: '109' }, 'lua', ['clean', 'clean-branch']],
    [{ activity: '1091' }, 'lua', ['clean', 'clean-branch']],
    [{ activity: '10911' }, 'lua', ['clean', 'clean-branch']],
    [{ activity: '10.91-1/02' }, 'lua', ['clean', 'clean-branch']],
    [{ activity: '47' }, 'lua', []],
    [{ legalNature: '206-2' }, 'lua papel', ['clean', 'clean-branch']],
    [{ legalNature: '2054' }, 'lua papel', []],
    [{ size: 'MICRO' }, 'costura', ['clean-micro']],
    [{ size: 'SMALL' }, 'tres sorrisos', ['clean-small']],
    [{ size: 'OTHER' }, 'tres sorrisos', []],
    [{ openedFrom: '2019-05-02' }, 'lua de papel', ['clean-branch']],
    [{ openedFrom: '2019-05-03' }, 'lua de papel', []],
    [{ openedTo: '2012-03-14' }, 'lua de papel', ['clean']],
    [{ openedTo: '2012-03-13' }, 'lua de papel', []],
    [{ isHeadOffice: true }, 'lua de papel', ['clean']],
    [{ isHeadOffice: false }, 'lua de papel', ['clean-branch']],
    [{ isHeadOffice: false, state: 'SP' }, 'lua de papel', []],
    [{ state: null }, 'lua de papel', ['clean', 'clean-branch']],
  ])('with the filter %o finds %j: %j', async (filter, name, scenarios) => {
    expect(await found(name, filter)).toEqual(scenarios.map(cnpjOf));
  });

  it('CG-08 finds no people: neither partners nor sole traders by their own names', async () => {
    for (const name of ['Odete de Tal', 'Rui de Tal', 'Ana de Tal', '00090']) expect(await found(name), name).toEqual([]);
  });

  it('continues after a cursor', async () => {
    const all = (await search({ name: 'participacoes' })).data.searchCompanies;
    expect(all.nodes.length).toBeGreaterThan(2);
    const pages: unknown[] = [];
    for (let after: string | null = null; ; ) {
      const { data }: Awaited<ReturnType<typeof search>> = await search({ name: 'participacoes', first: 2, after });
      const page = data.searchCompanies;
      pages.push(...page.nodes);
      if (!page.pageInfo.hasNextPage) break;
      after = page.pageInfo.endCursor;
    }
    expect(pages).toEqual(all.nodes);
  });

  it('refuses the cursor of another search', async () => {
    const { endCursor: after } = (await search({ name: 'participacoes', first: 2 })).data.searchCompanies.pageInfo;
    const others = [{ name: 'lua' }, { name: 'participacoes', filter: { state: 'SP' } }, { name: 'participacoes', country: 'CL' }];
    for (const other of others)
      expect((await search({ ...other, after })).errors[0].extensions).toMatchObject({ code: 'INVALID_INPUT', field: 'after' });
    expect((await search({ name: 'PARTICIPAÇÕES LTDA', first: 3, after })).errors).toBeUndefined(); // the same words and conditions
  });

  it('is an empty page for a name that nobody has', async () => {
    expect((await search({ name: 'xqwzk' })).data.searchCompanies).toMatchObject({ nodes: [], isTruncated: false, limitedBy: null });
    expect(await found('lua\0 de papel')).toEqual([HEAD, BRANCH]);
    expect(await found('🙂 lua de papel 🙂')).toEqual([HEAD, BRANCH]);
  });

  it.each([
    ['punctuation', { name: ' -., ' }, 'name'],
    ['an emoji', { name: '🙂' }, 'name'],
    ['NUL', { name: '\0' }, 'name'],
    ['a legal form', { name: 'LTDA' }, 'name'],
    ['one letter', { name: 'x' }, 'name'],
    ['201 characters', { name: 'a'.repeat(201) }, 'name'],
    ['13 words', { name: 'uno '.repeat(13) }, 'name'],
    ['a CPF', { name: madeUpCpf(90) }, 'name'],
    ['a name with a CPF', { name: `ODETE ${madeUpCpf(90).replace(/(...)(...)(...)(..)/, '$1.$2.$3-$4')}` }, 'name'],
    ['a masked CPF', { name: 'ODETE ***000090**' }, 'name'],
    ['no cursor', { name: 'lua', after: 'x' }, 'after'],
    ['a changed cursor', { name: 'lua', after: Buffer.from('["search","a","1","\\u0000"]').toString('base64url') }, 'after'],
    ['a page of none', { name: 'lua', first: 0 }, 'first'],
    ['a page of 101', { name: 'lua', first: 101 }, 'first'],
    ['a state of three letters', { name: 'lua', filter: { state: 'SPX' } }, 'filter.state'],
    ['an unknown municipality', { name: 'lua', filter: { municipality: 'Atlantis' } }, 'filter.municipality'],
    ['a municipality of punctuation', { name: 'lua', filter: { municipality: '?' } }, 'filter.municipality'],
    ['an activity of one digit', { name: 'lua', filter: { activity: '1' } }, 'filter.activity'],
    ['a nature of three digits', { name: 'lua', filter: { legalNature: '206' } }, 'filter.legalNature'],
    ['companies that are not registered', { name: 'lua', filter: { status: 'NOT_FOUND' } }, 'filter.status'],
    ['a day of the year 0', { name: 'lua', filter: { openedFrom: '0000-01-01' } }, 'filter.openedFrom'],
    ['an inverted period', { name: 'lua', filter: { openedFrom: '2020-01-02', openedTo: '2020-01-01' } }, 'filter.openedTo'],
    ['a filter for Chile', { name: 'lua', country: 'CL', filter: { state: 'SP' } }, 'filter'],
  ])('refuses %s', async (_, variables, field) => {
    const { data, errors } = await search(variables);
    expect(errors.map(({ extensions }: { extensions: object }) => extensions)).toMatchObject([
      { code: expect.stringMatching(/INVALID_INPUT/), field },
    ]);
    expect(data?.searchCompanies ?? null).toBeNull();
    expect(JSON.stringify(errors)).not.toContain(madeUpCpf(90));
  });

  it('is not available for Colombia', async () => {
    expect((await search({ name: 'lua', country: 'CO' })).errors[0].extensions).toMatchObject({
      code: 'UNSUPPORTED_COUNTRY',
      field: 'country',
    });
  });

  it('counts one check of the module kyb a page, none that was refused, and needs the module', async () => {
    const key = await app.keyFor('kyb');
    const query = (name: string, municipality?: string) => search({ name, filter: { municipality } }, key);
    await query('fachada');
    await query('fachada', 'Atlantis');
    const usage = (await app.query('{ apiKey { usage { module used } } }', {}, key)).body.data.apiKey.usage;
    // the page, and the check of its one company
    expect(usage).toContainEqual({ module: 'KYB', used: 2 });
    const { errors } = await search({ name: 'lua' }, await app.keyFor('owners'));
    expect(errors[0].extensions).toMatchObject({ code: 'MODULE_NOT_ENABLED', module: 'KYB' });
  });

  it('refuses 10,000 characters before it reads them', async () => {
    expect((await search({ name: 'a'.repeat(10_000) })).errors[0].extensions.code).toBe('TEXT_TOO_LONG');
  });
});

describe('POST /v1/search', () => {
  it('replies with the page of a name', async () => {
    const { status, body } = await app.post('/v1/search', {
      name: 'lua de papel',
      country: 'br',
      filter: { state: 'RJ', is_head_office: 'false' },
      limit: 1,
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      country: 'BR',
      results: [
        {
          ...{ identifier: BRANCH, name: 'PADARIA LUA DE PAPEL LTDA', trade_name: null, status: 'active' },
          ...{ municipality: 'RIO DE JANEIRO', state: 'RJ', opened_on: '2019-05-02', matched_on: 'legal_name', score: 0.667 },
        },
      ],
      ...{ has_more: false, next_after: expect.any(String), is_truncated: false, limited_by: null },
      searched: ['legal_name', 'trade_name'],
      data_as_of: expect.stringMatching(/^\d{4}-\d\d-14$/),
    });
  });

  it('continues after next_after, and takes the cursors of GraphQL', async () => {
    const page = (rest: object) => app.post('/v1/search', { name: 'participacoes', country: 'BR', ...rest });
    const first = (await page({ limit: 1 })).body;
    const second = (await page({ limit: 1, after: first.next_after })).body;
    expect(first.has_more).toBe(true);
    expect([...first.results, ...second.results]).toEqual((await page({ limit: 2 })).body.results);
    const { edges } = (await search({ name: 'participacoes', first: 1 })).data.searchCompanies;
    expect(edges[0].cursor).toBe(first.next_after);
  });

  it.each([
    [{ name: '-', country: 'BR' }, 'invalid_input', 'name'],
    [{ name: 'a'.repeat(201), country: 'BR' }, 'invalid_input', 'name'],
    [{ country: 'BR' }, 'invalid_input', 'name'],
    [{ name: 'lua', country: 'BR', limit: 0 }, 'invalid_input', 'limit'],
    [{ name: 'lua', country: 'BR', after: 'x' }, 'invalid_input', 'after'],
    [{ name: 'lua', country: 'BR', filter: { legal_nature: '1' } }, 'invalid_input', 'filter.legal_nature'],
    [{ name: 'lua', country: 'BR', filter: { opened_from: '2020-13-01' } }, 'invalid_input', 'filter.opened_from'],
    [{ name: 'lua', country: 'BR', filter: { opened_to: '0000-12-31' } }, 'invalid_input', 'filter.opened_to'],
    [{ name: 'lua', country: 'BR', filter: { municipality: 'Atlantis' } }, 'invalid_input', 'filter.municipality'],
    [{ name: 'lua', country: 'CO' }, 'unsupported_country', 'country'],
  ])('refuses %j', async (sent, code, field) => {
    const { status, body } = await app.post('/v1/search', sent);
    expect({ status, ...body }).toMatchObject({ status: 422, code, errors: [{ field }] });
  });
});

describe('a service without a copy', () => {
  let live: TestApp;
  beforeAll(async () => {
    live = await testApp({ listsTried: false });
  });
  afterAll(() => live.close());

  it('says how its operator gets one, and counts nothing', async () => {
    const key = await live.keyFor('kyb');
    const { errors } = (await live.query(SEARCH, { name: 'lua' }, key)).body;
    expect(errors[0]).toMatchObject({
      message: expect.stringMatching(/quipu import receita.*QUIPU_RECEITA_MODE/),
      extensions: { code: 'SOURCE_NOT_CONFIGURED', source: 'RECEITA_FEDERAL' },
    });
    const { status, body } = await live.post('/v1/search', { name: 'lua', country: 'BR' }, key);
    expect({ status, code: body.code }).toEqual({ status: 503, code: 'source_not_configured' });
    expect((await live.query('{ apiKey { usage { module used } } }', {}, key)).body.data.apiKey.usage).toContainEqual({
      module: 'KYB',
      used: 0,
    });
  });
});

/** The date of an extract of today in the names of its files: the last digit of the year, month, day. */
const extractName = (): string => `D${isoDate(Date.now()).slice(3).replaceAll('-', '')}`;

// The last test, because it replaces the copy.
it('answers from the next version after an import', async () => {
  const { endCursor: after } = (await search({ name: 'participacoes', first: 1 })).data.searchCompanies.pageInfo;
  await importFolder(await folderOf(monthOf(3), extractName()), importParts({ db: app.db }), { force: true });
  await expect.poll(async () => (await search({ name: 'empresa' })).data?.searchCompanies.nodes.length, { timeout: 30_000 }).toBe(3);
  expect((await search({ name: 'participacoes', first: 1, after })).data.searchCompanies).toMatchObject({
    nodes: [],
    dataAsOf: isoDate(Date.now()),
  });
});

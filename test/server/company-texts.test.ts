import { buildSchema, type GraphQLField, parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companies, companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { createAccounts } from '../../src/auth/accounts/accounts.ts';
import { CacheMemory, createCacheMemory } from '../../src/cache/memory.ts';
import type { RequestContext } from '../../src/context.ts';
import type { Answer } from '../../src/domain/answer.ts';
import { HOUR_MS, SECOND_MS } from '../../src/domain/time.ts';
import { createCompiledExecutor } from '../../src/graphql/compiled/executor.ts';
import { limitFields } from '../../src/graphql/limits/limit-fields.ts';
import { RequestSlices } from '../../src/scheduling/slices.ts';
import { type TestApp, testApp } from '../support/app.ts';

type Checked = { readonly level: string; readonly at: number };

class CountedSlices extends RequestSlices {
  readonly #count: () => void;

  constructor(count: () => void) {
    super();
    this.#count = count;
  }

  override append(values: number): Promise<void> {
    this.#count();
    return super.append(values);
  }
}

/** A schema with a list of companies and one field that is made from an answer, and the counts of what a request needed for it. */
function world({ memory = createCacheMemory() } = {}) {
  const counts = { resolved: 0, requested: 0, slices: 0 };
  const state = { language: 'en', answers: new Map<string, Answer<Checked> | Promise<Answer<Checked>>>() };
  const schema = buildSchema(
    'type Query { companies(ids: [String!]!): [Company] } type Company { taxId: String check(x: Int): Check } type Check { level: String list: [String!] at: String }',
  );
  const loader = {};
  const fieldOf = (type: string, name: string) =>
    (schema.getType(type) as unknown as { getFields(): Record<string, GraphQLField<unknown, unknown>> }).getFields()[name] as GraphQLField<
      unknown,
      unknown
    >;
  fieldOf('Query', 'companies').resolve = (_source, { ids }) =>
    ids.map((id: string) =>
      id === 'wrong' ? new Error('malformed') : { country: 'BR', taxId: id, asOf: id === 'earlier' ? '2026-01-01' : null },
    );
  const check = fieldOf('Company', 'check');
  check.extensions = {
    cost: 5,
    answerSource: { loaderOf: () => loader, partOf: ({ value }: Answer<Checked>) => answerParts.get(value.level) },
  };
  const answerParts = new Map<string, object>();
  check.resolve = (company, { x }, context) => {
    const { taxId } = company as { taxId: string };
    counts.resolved += 1;
    const read = ({ value }: Answer<Checked>) => ({ level: `${value.level} ${x} ${state.language}`, list: ['a', 'b'], at: value.at });
    const answer = (context as RequestContext).ask(loader as never, { taxId } as never) as Answer<Checked> | Promise<Answer<Checked>>;
    return answer instanceof Promise ? answer.then(read) : read(answer);
  };
  fieldOf('Check', 'at').extensions = { isMoment: true };
  limitFields(schema);
  const execute = createCompiledExecutor(schema, { memory });
  const documents = new Map<string, ReturnType<typeof parse>>();
  /** Sets the answer about a company. `part` is the object that all answers with it share. */
  const answer = (taxId: string, level: string, at: number, part = {}) => {
    answerParts.set(level, part);
    state.answers.set(taxId, { value: { level, at }, freshness: {} as never });
  };
  const ask = async (ids: readonly string[], selection = '{ taxId check { level list at } }') => {
    const text = `query Many($ids: [String!]!) { companies(ids: $ids) ${selection} }`;
    const document = documents.get(text) ?? parse(text);
    documents.set(text, document);
    const context = {
      signal: new AbortController().signal,
      slices: new CountedSlices(() => {
        counts.slices += 1;
      }),
      language: state.language,
      isKept: (_loader: unknown, { taxId }: { taxId: string }) => state.answers.has(taxId),
      ask: (_loader: unknown, { taxId }: { taxId: string }) => {
        counts.requested += 1;
        return state.answers.get(taxId);
      },
    } as unknown as RequestContext;
    const result = await execute({ document, coercedVariables: { ids } }, context);
    return JSON.parse(String(result?.data)).companies;
  };
  return { counts, state, answer, ask };
}

describe('the text of a company', () => {
  it('is used again while the answer is the same, with the time of each request, and each request asks for the answer', async () => {
    const { counts, answer, ask } = world();
    const part = {};
    answer('1', 'low', 5, part);
    const first = await ask(['1']);
    answer('1', 'low', 6, part);
    const second = await ask(['1']);
    expect([first, second]).toEqual(
      [5, 6].map((at) => [{ taxId: '1', check: { level: 'low undefined en', list: ['a', 'b'], at: String(at) } }]),
    );
    expect(counts.resolved).toBe(1);
    expect(counts.requested).toBe(3); // the first request asks before it writes the fields, and its fields ask again
  });

  it('is written again for another answer, another selection, other arguments and another language', async () => {
    const { counts, state, answer, ask } = world();
    answer('1', 'low', 5);
    await ask(['1']);
    answer('1', 'high', 5);
    expect((await ask(['1']))[0].check.level).toBe('high undefined en');
    expect((await ask(['1'], '{ check(x: 3) { level } }'))[0].check.level).toBe('high 3 en');
    expect((await ask(['1'], '{ check(x: 4) { level } }'))[0].check.level).toBe('high 4 en');
    state.language = 'pt';
    expect((await ask(['1'], '{ check(x: 4) { level } }'))[0].check.level).toBe('high 4 pt');
    expect(counts.resolved).toBe(5);
  });

  it('is not used for another company with the same part of an answer', async () => {
    const { answer, ask } = world();
    const part = {};
    answer('1', 'low', 5, part);
    answer('2', 'low', 5, part);
    const ids = async () => (await ask(['1', '2', '1'])).map(({ taxId }: { taxId: string }) => taxId);
    expect([await ids(), await ids()]).toEqual([
      ['1', '2', '1'],
      ['1', '2', '1'],
    ]);
  });

  it('is not used for an answer that has to be awaited, a malformed company or a company as of an earlier date', async () => {
    const { counts, state, answer, ask } = world();
    answer('1', 'low', 5);
    answer('earlier', 'low', 5);
    await ask(['1', 'earlier']);
    const known = state.answers.get('1') as Answer<Checked>;
    state.answers.set('2', Promise.resolve(known));
    counts.resolved = 0;
    const level = { taxId: expect.any(String), check: expect.objectContaining({ level: 'low undefined en' }) };
    expect(await ask(['1', '2', 'wrong', 'earlier', '1'])).toEqual([level, level, null, level, level]);
    expect(counts.resolved).toBe(2);
  });

  it('is dropped when the memory of the caches is full, and written again', async () => {
    const memory = new CacheMemory(1_000);
    const { counts, answer, ask } = world({ memory });
    for (let i = 0; i < 20; i += 1) answer(String(i), `level ${i}`, 5);
    for (let i = 0; i < 20; i += 1) await ask([String(i)]);
    expect(memory.bytes().get('texts')).toBeLessThanOrEqual(1_000);
    expect(memory.bytes().get('texts')).toBeGreaterThan(300);
    expect((await ask(['0']))[0].check.level).toBe('level 0 undefined en');
    expect(counts.resolved).toBe(21);
  });

  it('is used in slices of a hundred companies, between which other requests are served', async () => {
    const { counts, answer, ask } = world();
    const ids = Array.from({ length: 500 }, (_, i) => String(i));
    for (const id of ids) answer(id, `level ${id}`, 5);
    await ask(ids);
    Object.assign(counts, { resolved: 0, slices: 0 });
    expect((await ask(ids)).map(({ taxId }: { taxId: string }) => taxId)).toEqual(ids);
    expect(counts).toMatchObject({ resolved: 0, slices: 4 });
    expect(await ask(ids.slice(0, 50))).toHaveLength(50);
    expect(counts.slices).toBe(4);
  });
});

describe('the texts of companies in the service', () => {
  let now = Date.UTC(2026, 10, 21, 12);
  let apps: readonly [TestApp, TestApp];
  beforeAll(async () => {
    const open = (compiled: string) => testApp({ now: () => now, env: { QUIPU_COMPILED_EXECUTOR: compiled } });
    apps = await Promise.all([open('true'), open('false')]);
  });
  afterAll(() => Promise.all(apps.map((app) => app.close())));

  const FRESHNESS = 'freshness { fetchedAt dataAsOf cached stale expiresAt }';
  const COMPLIANCE = `compliance { riskLevel riskReasons { code check severity message } sourcesFailed completeness generatedAt rulesVersion
    checks { kyb { companyName status ${FRESHNESS} } owners { count owners { id name role } } sanctions { matches { entityId } lists { list loadedAt } }
      debarment { records { id dateStart } ${FRESHNESS} } labor { records { id year } } taxHealth { ${FRESHNESS} } contractFines { coverage } } }`;
  const SINGLE = `kyb { companyName status ${FRESHNESS} } owners { count ${FRESHNESS} } sanctions { isSanctioned } debarment { isDebarred ${FRESHNESS} }
    labor { hasViolations } taxHealth { status } contractFines { coverage }`;
  const { cnpj } = companyByScenario('clean');
  const ids = [...companies.slice(0, 30).map((one) => one.cnpj), '76.192.083-9', '900.123.456-8', 'no id', cnpj, cnpj];

  const queryOf = (fields: string) => `query ($ids: [String!]!) { companies(identifiers: $ids) { identifier id ${fields} } }`;

  interface Sending {
    /** Returns the key of a service. */
    readonly keyOf?: (app: TestApp) => string;
    readonly language?: string;
  }

  /** Sends the query four times to the service, and to one that resolves every field for each request; returns the last answer. */
  async function bothAnswer(fields: string, { keyOf = ({ key }) => key, language = 'en' }: Sending = {}) {
    let last = '';
    for (let i = 0; i < 4; i += 1) {
      now += 3 * SECOND_MS;
      const [kept, reference] = await Promise.all(
        apps.map(async (app) => {
          const headers = { 'content-type': 'application/json', 'x-api-key': keyOf(app), 'accept-language': language };
          const payload = { query: queryOf(fields), variables: { ids } };
          const { body } = await app.server.inject({ method: 'POST', url: '/graphql', headers, payload });
          return body.replaceAll(/"requestId":"[^"]+"/g, '"requestId":"…"');
        }),
      );
      expect(reference).toContain('"data":{');
      expect(kept).toBe(reference);
      last = kept as string;
    }
    return JSON.parse(last);
  }

  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects of an answer
  type CompanyJson = any;
  const ofCompany = (answer: { data: { companies: readonly (CompanyJson | null)[] } }) =>
    answer.data.companies.find((one) => one?.identifier === cnpj) as CompanyJson;

  it.each([
    ['a consolidated check', COMPLIANCE],
    ['single checks', SINGLE],
    ['both', `${COMPLIANCE} ${SINGLE}`],
    [
      'checks under other names, with arguments',
      `a: ${COMPLIANCE} b: compliance(receipt: false) { generatedAt } c: debarment(include: []) { isDebarred }`,
    ],
    ['lists of its own', 'sanctions(lists: [OFAC_SDN]) { isSanctioned } debarment(include: [CEPIM]) { isDebarred }'],
  ])('equal those of a service without them, with points and counts: %s', async (_, fields) => {
    const answer = await bothAnswer(fields);
    expect(answer.data.companies).toHaveLength(ids.length);
  });

  it('have the time of each request', async () => {
    const before = ofCompany(await bothAnswer(COMPLIANCE)).compliance.generatedAt;
    now += 10 * SECOND_MS;
    expect(Date.parse(ofCompany(await bothAnswer(COMPLIANCE)).compliance.generatedAt) - Date.parse(before)).toBe(22 * SECOND_MS);
  });

  it('are in the language of each request', async () => {
    const messages = async (language: string) =>
      JSON.stringify(
        (await bothAnswer(COMPLIANCE, { language })).data.companies.map((one: CompanyJson | null) => one?.compliance?.riskReasons),
      );
    const [en, pt, again] = [await messages('en'), await messages('pt'), await messages('en')];
    expect(pt).not.toBe(en);
    expect(again).toBe(en);
  });

  it('are those of the lists of the account, and refused to a key without the module', async () => {
    const keys = new Map<TestApp, { deciding: string; other: string }>();
    for (const app of apps) {
      await createAccounts({ db: app.db, now: () => now, actor: 'operator ana' }).create({
        name: 'deciding',
        verdictLists: ['CEPIM', 'TCU_INIDONEOS'],
        lists: ['CEPIM'],
      });
      const { key: deciding } = await app.keys.create({ name: 'deciding', account: 'deciding', modules: ['debarment', 'compliance_br'] });
      keys.set(app, { deciding, other: await app.keyFor('kyb') });
    }
    const fields = `${COMPLIANCE} debarment { sourcesChecked }`;
    const [all, deciding, other] = [
      await bothAnswer(fields),
      await bothAnswer(fields, { keyOf: (app) => keys.get(app)?.deciding ?? '' }),
      await bothAnswer(fields, { keyOf: (app) => keys.get(app)?.other ?? '' }),
    ];
    expect(ofCompany(deciding).debarment.sourcesChecked).not.toEqual(ofCompany(all).debarment.sourcesChecked);
    expect(ofCompany(other).compliance).toBe(null);
    expect(other.errors.map(({ extensions }: { extensions: { code: string } }) => extensions.code)).toContain('MODULE_NOT_ENABLED');
    expect(ofCompany(await bothAnswer(fields))).toMatchObject({ debarment: ofCompany(all).debarment });
  });

  it('have what a source states after the answers have expired, and name one that fails then', async () => {
    expect(ofCompany(await bothAnswer(COMPLIANCE)).compliance.checks.kyb.companyName).not.toBe('OUTRO NOME LTDA');
    for (const app of apps) {
      const { status, body } =
        app.sandbox?.control({ method: 'PATCH', path: `companies/${cnpj}`, body: '{"name":"OUTRO NOME LTDA"}' }) ?? {};
      expect([status, body]).toEqual([200, expect.any(String)]);
    }
    now += 25 * HOUR_MS;
    expect(ofCompany(await bothAnswer(COMPLIANCE)).compliance.checks.kyb.companyName).toBe('OUTRO NOME LTDA');
    now += 25 * HOUR_MS;
    for (const app of apps)
      for (const mirror of ['receita_federal', 'opencnpj'] as const) app.sandbox?.faults.set(mirror, { mode: 'html_404' });
    expect(ofCompany(await bothAnswer(COMPLIANCE)).compliance.sourcesFailed).toEqual(['KYB', 'OWNERS']);
    for (const app of apps) app.sandbox?.faults.clear();
  });
});
